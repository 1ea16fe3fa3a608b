def f(x):
    try:
        return 10 / x
    except ZeroDivisionError:
        return "zero"
    else:
        return "else"
    finally:
        print("finally", x)


print(f(1), f(0))
for i in range(3):
    if i == 1:
        break
else:
    print("no")
while False:
    pass
else:
    print("while else")
