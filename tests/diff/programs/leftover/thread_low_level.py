import _thread, time
_thread.start_new_thread(time.sleep, (30,))
print("main ends")
