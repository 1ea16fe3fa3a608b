import statistics
from fractions import Fraction

print(Fraction(1, 3) + Fraction("0.25"), Fraction(0.5), Fraction("3/4").limit_denominator(2), Fraction(7, 3) // 1)
d = [1, 2, 2, 3, 10]
print(statistics.mean(d), statistics.median(d), statistics.mode(d), statistics.stdev(d), statistics.quantiles(d), statistics.fmean(d))
print(statistics.NormalDist(0, 1).cdf(1.0), statistics.harmonic_mean([40, 60]), statistics.pvariance(d), statistics.multimode(d))
statistics.mean([])
