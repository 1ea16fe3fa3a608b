class C:
    @property
    def p(self):
        return self.missing


C().p
