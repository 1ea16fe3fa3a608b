import multiprocessing as mp

print(mp.current_process().name, mp.parent_process(), mp.get_start_method(allow_none=True), mp.get_all_start_methods())
print(mp.current_process().daemon, mp.active_children(), mp.current_process()._identity)
