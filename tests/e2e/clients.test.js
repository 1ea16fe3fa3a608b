import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

import { KINDS, OUTCOME, alive, connect, text } from './clients.js';

const sleeping = (marker) => {
  try {
    return execFileSync('pgrep', ['-f', `^sleep ${marker}$`]).toString().trim().split('\n');
  } catch {
    return [];
  }
};

async function until(predicate, ms) {
  const end = Date.now() + ms;
  while (!predicate() && Date.now() < end) await new Promise((r) => setTimeout(r, 10));
  return predicate();
}

for (const kind of KINDS) {
  // Every test ends with a clean close and without a word from the transport's error handler.
  const each = (name, body, env) =>
    test(`${kind.name}: ${name}`, { timeout: 60_000 }, async () => {
      const s = await connect(kind, env);
      try {
        await body(s);
      } finally {
        const end = await s.close();
        assert.ok(end.ms < 2000, `closing took ${end.ms} ms`);
        assert.deepEqual(end.left, []);
        assert.ok(!alive(s.pid), 'the server lives on');
      }
      assert.deepEqual(s.errors, []);
    });

  each('lists the tool, and empty prompts and resources', async ({ client }) => {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((t) => t.name), ['run_python']);
    assert.equal(tools[0].inputSchema.additionalProperties, false);
    assert.equal(client.getServerVersion().name, 'python-runner-mcp');
    assert.ok(client.getServerCapabilities().tools);
    if (client.getServerCapabilities().prompts) assert.deepEqual((await client.listPrompts()).prompts, []);
    if (client.getServerCapabilities().resources) assert.deepEqual((await client.listResources()).resources, []);
  });

  each('is in the era that was asked for', async ({ client }) => {
    if (client.getProtocolEra) assert.equal(client.getProtocolEra(), kind.era);
    if (kind.era === 'legacy') await client.ping();
  });

  each('runs a program', async ({ run }) => {
    const r = await run('print(sum(range(10)))');
    assert.match(text(r), /^\[request_id=[0-9a-f]{8}\]\n--- stdout ---\n45\n\n--- exit_code: 0 \| duration: \d+\.\d{3}s ---\n?$/);
    assert.ok(!r.isError);
    assert.equal(r._meta[OUTCOME].status, 'exited');
    assert.equal(r._meta[OUTCOME].exit_code, 0);
    assert.equal(r.structuredContent, undefined);
  });

  each('a failing program is a result, a refused call is an error', async ({ run, client }) => {
    const failed = await run('1/0');
    assert.ok(!failed.isError);
    assert.match(text(failed), /ZeroDivisionError/);
    const refused = await run('1', { wrong: 1 });
    assert.equal(refused.isError, true);
    assert.equal(refused._meta[OUTCOME].status, 'rejected');
    await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), /no_such_tool|run_python/);
  });

  each('timeout and stdin arguments', async ({ run }) => {
    assert.match(text(await run('import time; time.sleep(30)', { timeout: 0.2 })), /--- timeout: killed after 0\.2s \|/);
    assert.match(text(await run('print(input())', { stdin: 'given\n' })), /\ngiven\n/);
  });

  each('cancel by AbortSignal', async ({ run }) => {
    const marker = `91${process.pid}.${KINDS.indexOf(kind)}`;
    const abort = new AbortController();
    const call = run(`import subprocess; subprocess.run(['sleep', '${marker}'])`, { timeout: 60 }, { signal: abort.signal });
    const gone = assert.rejects(call);
    assert.ok(await until(() => sleeping(marker).length > 0, 10_000), 'the program starts');
    abort.abort('no longer needed');
    await gone;
    assert.ok(await until(() => sleeping(marker).length === 0, 1500), 'the program is gone within a second');
    assert.match(text(await run("print('next')")), /\nnext\n/);
  });

  each('progress, and timeouts that it resets', async ({ run }) => {
    const seen = [];
    let ended = false;
    const r = await run("import time\nfor i in range(16):\n    print('line', i)\n    time.sleep(0.1)", {}, {
      onprogress: (p) => {
        assert.ok(!ended);
        seen.push(p);
      },
      timeout: 900,
      resetTimeoutOnProgress: true,
    });
    ended = true;
    assert.equal(r._meta[OUTCOME].exit_code, 0);
    assert.ok(seen.length >= 3 && seen.length <= 5 * (r._meta[OUTCOME].duration_ms / 1000) + 1, `${seen.length} notifications`);
    for (let i = 1; i < seen.length; i++) assert.ok(seen[i].progress > seen[i - 1].progress);
    assert.match(seen.at(-1).message, /^line \d+$/);
    await run('1'); // whatever came late would be an error of the transport by now
  });

  each('several calls at once', async ({ run }) => {
    const results = await Promise.all(Array.from({ length: 24 }, (_, i) => run(`import time; time.sleep(0.05); print('number', ${i})`)));
    results.forEach((r, i) => assert.match(text(r), new RegExp(`\\nnumber ${i}\\n`)));
    assert.equal(new Set(results.map((r) => r._meta[OUTCOME].request_id)).size, 24);
  });

  each('output that is not plain', async ({ run }) => {
    assert.match(text(await run("print('ü€🐍\\u2028\\0')")), /\nü€🐍\u2028\0\n/u);
    await run(String.raw`import os; os.write(1, b'\xff\xed\xa0\x80')`);
    const r = await run("print('x' * 3_000_000)");
    assert.match(text(r), /… \[\d+ characters omitted\] …/);
    assert.equal(r._meta[OUTCOME].stdout.truncated, true);
  });

  each('structured output', async ({ client, run }) => {
    const { tools } = await client.listTools(); // from here on the client validates results against outputSchema
    assert.equal(tools[0].outputSchema.type, 'object');
    const r = await run("print('out'); 41 + 1");
    assert.equal(r.structuredContent.stdout, 'out\n');
    assert.equal(r.structuredContent.result, '42');
    assert.match(text(r), /\n--- result ---\n42\n/);
    for (const code of ['1/0', 'None', 'import os; os.kill(os.getpid(), 9)', 'def (', 'import sys; sys.exit(3)']) {
      assert.ok((await run(code)).structuredContent, code);
    }
    assert.equal((await run('import time; time.sleep(9)', { timeout: 0.2 })).structuredContent.status, 'timeout');
    assert.equal((await run('1', { wrong: 1 })).isError, true);
  }, { RUNNER_STRUCTURED_OUTPUT: 'true' });

  each('log messages', async ({ client, run }) => {
    const seen = [];
    if (kind.name.startsWith('sdk')) {
      const { LoggingMessageNotificationSchema } = await import('@modelcontextprotocol/sdk/types.js');
      client.setNotificationHandler(LoggingMessageNotificationSchema, (n) => seen.push(n.params));
    } else {
      client.setNotificationHandler('notifications/message', (n) => seen.push(n.params));
    }
    if (kind.era === 'legacy') {
      await client.setLoggingLevel('debug');
      await run('1');
      await client.ping();
      assert.ok(seen.length > 0);
    } else {
      await run('1');
      assert.deepEqual(seen, []);
    }
  });

  each('a server that ends while a program runs', async ({ run }) => {
    const marker = `92${process.pid}.${KINDS.indexOf(kind)}`;
    run(`import subprocess; subprocess.run(['sleep', '${marker}'])`, { timeout: 60 }).catch(() => {});
    assert.ok(await until(() => sleeping(marker).length > 0, 10_000));
  });
}
