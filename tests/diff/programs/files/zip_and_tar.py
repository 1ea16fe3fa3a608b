import io
import tarfile
import zipfile

b = io.BytesIO()
with zipfile.ZipFile(b, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr(zipfile.ZipInfo("dir/a.txt", (2020, 1, 2, 3, 4, 6)), "content" * 50)
with zipfile.ZipFile(b) as z:
    print(z.namelist(), z.testzip(), z.getinfo("dir/a.txt").date_time, len(z.read("dir/a.txt")))
    print(zipfile.Path(z, "dir/").is_dir(), zipfile.is_zipfile(b))
t = io.BytesIO()
with tarfile.open(fileobj=t, mode="w:gz") as tar:
    info = tarfile.TarInfo("x")
    info.size = 3
    tar.addfile(info, io.BytesIO(b"abc"))
t.seek(0)
with tarfile.open(fileobj=t) as tar:
    print(tar.getnames(), tar.extractfile("x").read())
zipfile.ZipFile(io.BytesIO(b"not a zip"))
