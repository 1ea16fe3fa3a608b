from pathlib import Path, PurePosixPath, PureWindowsPath

p = Path("d/e")
p.mkdir(parents=True)
(p / "f.txt").write_text("hi")
(p / "g.bin").write_bytes(b"\0\1")
print(sorted(str(x) for x in Path("d").rglob("*")), (p / "f.txt").stat().st_size)
print(p.parts, p.with_suffix(".x"), (p / "f.txt").stem, PurePosixPath("/a/../b").parent, PureWindowsPath("c:\\x").drive)
print(Path("main.py").resolve() == Path(__file__), Path.home() == Path(__import__("os").environ["HOME"]))
(p / "f.txt").unlink()
p.rmdir()
