# stdin: "greet Bob\nquit\n"
import cmd


class Shell(cmd.Cmd):
    prompt = "> "

    def do_greet(self, name):
        print("hello", name)

    def do_quit(self, _):
        return True


s = Shell()
s.use_rawinput = False
s.cmdloop("welcome")
