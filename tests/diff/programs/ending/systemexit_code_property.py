class Stop(SystemExit):
    @property
    def code(self):
        return 12


raise Stop("text")
