print("esc  in source, del ")
