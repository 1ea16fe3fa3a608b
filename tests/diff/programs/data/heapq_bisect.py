import bisect
import heapq

h = [5, 1, 4]
heapq.heapify(h)
heapq.heappush(h, 0)
print(heapq.heappop(h), heapq.nlargest(2, h), heapq.nsmallest(2, h), list(heapq.merge([1, 4], [2, 3])), heapq.heappushpop(h, 9))
a = [1, 3, 3, 5]
bisect.insort(a, 4)
print(a, bisect.bisect_left(a, 3), bisect.bisect(a, 3))
heapq.heappop([])
