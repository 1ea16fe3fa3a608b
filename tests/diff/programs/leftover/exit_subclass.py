class Leave(SystemExit):
    @property
    def code(self):
        print("asked for the code")
        return 4
raise Leave()
