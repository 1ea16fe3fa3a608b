import threading

print(threading.enumerate() == [threading.main_thread()], threading.current_thread().name, threading.active_count())
print(threading.main_thread() is threading.current_thread(), threading.main_thread().daemon)
print(threading.main_thread().ident == threading.get_ident(), threading.get_native_id() == __import__("os").getpid())
print(threading.stack_size() >= 0, threading.main_thread().is_alive())
