// kubernetes.js FILE: each document is valid by Kubernetes' schemas, and they know each of its fields.
//
// The schemas allow what they don't know. So every value, one after the other, is replaced by one of a type that no field has, and
// the schema has to refuse that: it would not if it did not know the field. Prints what is wrong, or the number of fields.
import { readFileSync } from "node:fs";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { Pod } from "kubernetes-models/v1";
import { parseAllDocuments } from "yaml";

const kinds = { Pod, NetworkPolicy };
const WRONG = [[[]]];
let fields = 0;

function refusal(kind, document) {
    try {
        new kinds[kind](document).validate();
        return "";
    } catch (e) {
        return e.message;
    }
}

function* paths(value, path = []) {
    if (path.length > 0) yield path;
    if (value !== null && typeof value === "object") {
        for (const key of Object.keys(value)) yield* paths(value[key], [...path, key]);
    }
}

function replaced(document, path) {
    const copy = structuredClone(document);
    const holder = path.slice(0, -1).reduce((at, key) => at[key], copy);
    holder[path.at(-1)] = WRONG;
    return copy;
}

const documents = parseAllDocuments(readFileSync(process.argv[2], "utf8"));
for (const parsed of documents) {
    const document = parsed.toJS();
    const { kind } = document;
    const wrong = [...parsed.errors.map(String), ...parsed.warnings.map(String)];
    if (!(kind in kinds)) wrong.push("a kind that is not expected here");
    else {
        wrong.push(refusal(kind, document));
        for (const path of paths(document)) {
            fields++;
            // a model sets these two by itself
            if (["kind", "apiVersion"].includes(path[0])) continue;
            if (!refusal(kind, replaced(document, path))) wrong.push(`no such field: ${path.join(".")}`);
        }
    }
    for (const text of wrong.filter(Boolean)) {
        console.log(`${kind}: ${text}`);
        process.exitCode = 1;
    }
}
console.log(`${documents.length} documents, ${fields} fields`);
