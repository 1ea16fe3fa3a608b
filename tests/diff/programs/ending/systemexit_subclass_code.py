class Stop(SystemExit):
    def __init__(self, why):
        super().__init__(why)
        self.code = 11


raise Stop("text")
