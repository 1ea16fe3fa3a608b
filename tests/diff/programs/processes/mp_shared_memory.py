from multiprocessing import shared_memory

shm = shared_memory.SharedMemory(create=True, size=64)
shm.buf[:5] = b"hello"
other = shared_memory.SharedMemory(name=shm.name)
print(bytes(other.buf[:5]))
other.close()
shm.close()
shm.unlink()
sl = shared_memory.ShareableList([1, "two", 3.0, None])
print(list(sl))
sl.shm.close()
sl.shm.unlink()
