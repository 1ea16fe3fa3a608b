import code
import codeop

i = code.InteractiveInterpreter({"x": 5})
print(i.runsource("x + 1"), i.runsource("if x:"), i.runsource("1 / 0"), i.runsource("a b"))
print(codeop.compile_command("if 1:"), codeop.compile_command("5") is not None)
