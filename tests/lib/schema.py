"""Every message a server sends, checked against the published schema of its revision.

tests/schemas holds the schemas as the specification publishes them. Legacy schemas describe the params of
notifications and the results of requests apart from the JSON-RPC envelope, so both are checked.
"""
import functools
import json
import os

import jsonschema

SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "schemas")
LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN = "2026-07-28"
REVISIONS = LEGACY + [MODERN]
LATEST_LEGACY = LEGACY[-1]

RESULTS = {
    "initialize": "InitializeResult",
    "server/discover": "DiscoverResult",
    "ping": "EmptyResult",
    "logging/setLevel": "EmptyResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "completion/complete": "CompleteResult",
    "subscriptions/listen": "SubscriptionsListenResult",
}
NOTIFICATIONS = {
    "notifications/progress": "ProgressNotification",
    "notifications/message": "LoggingMessageNotification",
    "notifications/cancelled": "CancelledNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
}


@functools.lru_cache(maxsize=None)
def _schema(revision):
    with open(os.path.join(SCHEMAS, revision + ".json"), encoding="utf-8") as f:
        return json.load(f)


@functools.lru_cache(maxsize=None)
def _validator(revision, name):
    whole = _schema(revision)
    key = "$defs" if "$defs" in whole else "definitions"
    if name not in whole[key]:
        return None
    cls = jsonschema.validators.validator_for(whole)
    return cls({"$schema": whole["$schema"], "$ref": f"#/{key}/{name}", key: whole[key]})


def _errors(revision, name, value):
    v = _validator(revision, name)
    if v is None:
        return [f"{revision} knows no {name}"]
    return [f"{revision} {name}: {'/'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in v.iter_errors(value)]


def check_response(revision, method, message):
    """The faults of a response to `method`, as sentences; empty when it is right."""
    if "error" in message:
        name = "JSONRPCErrorResponse" if "$defs" in _schema(revision) else "JSONRPCError"
        faults = _errors(revision, name, message)
        if message["error"].get("code") == -32022:
            faults += _errors(MODERN, "UnsupportedProtocolVersionError", message)
        return faults
    faults = _errors(revision, "JSONRPCResultResponse" if "$defs" in _schema(revision) else "JSONRPCResponse", message)
    if method is None:
        return faults
    if method not in RESULTS:
        return faults + [f"a result for {method!r}, which has none"]
    return faults + _errors(revision, RESULTS[method], message.get("result"))


def check_notification(revision, message):
    faults = _errors(revision, "JSONRPCNotification", message)
    name = NOTIFICATIONS.get(message.get("method"))
    if name is None:
        return faults + [f"an unknown notification {message.get('method')!r}"]
    return faults + _errors(revision, name, message)


def check_value(schema, value):
    """The faults of a value against a schema of the server's own, such as a tool's outputSchema."""
    cls = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    cls.check_schema(schema)
    return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in cls(schema).iter_errors(value)]
