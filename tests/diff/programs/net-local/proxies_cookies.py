import http.cookiejar
import http.cookies
import urllib.request
import urllib.robotparser

c = http.cookies.SimpleCookie("a=1; b=2")
c["a"]["path"] = "/"
print(c.output(), c["b"].value, len(http.cookiejar.CookieJar()), urllib.request.getproxies())
r = urllib.robotparser.RobotFileParser()
r.parse(["User-agent: *", "Disallow: /x"])
print(r.can_fetch("me", "/x/y"), r.can_fetch("me", "/z"), http.HTTPStatus(404).phrase)
urllib.request.urlopen("file:///does/not/exist")
