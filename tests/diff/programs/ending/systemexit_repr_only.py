class Odd:
    def __repr__(self):
        return "the repr"


raise SystemExit(Odd())
