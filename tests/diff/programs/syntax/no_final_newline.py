print("no newline at end of file")
6 * 7