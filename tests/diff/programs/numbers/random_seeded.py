import random

random.seed(42)
print(random.random(), random.randint(1, 100), random.choice("abc"), random.sample(range(50), 3), random.gauss(0, 1))
x = list(range(8))
random.shuffle(x)
r = random.Random("text")
print(x, r.uniform(1, 2), r.choices([1, 2], k=5), r.getrandbits(64), r.randbytes(4), r.betavariate(1, 2), r.expovariate(1))
state = random.getstate()
a = random.random()
random.setstate(state)
random.random() == a
