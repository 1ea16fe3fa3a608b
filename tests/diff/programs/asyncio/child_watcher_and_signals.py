import asyncio


async def main():
    p = await asyncio.create_subprocess_shell("echo out; echo err >&2; exit 4", stdout=-1, stderr=-1)
    out, err = await p.communicate()
    print(out, err, p.returncode)
    p = await asyncio.create_subprocess_exec("sleep", "20")
    p.terminate()
    print(await p.wait())


asyncio.run(main())
