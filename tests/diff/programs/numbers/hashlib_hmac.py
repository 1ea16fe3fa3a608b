import hashlib
import hmac

for n in ("md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b", "blake2s"):
    print(n, hashlib.new(n, b"abc").hexdigest()[:20])
print(hashlib.shake_128(b"x").hexdigest(5), hmac.new(b"k", b"m", "sha256").hexdigest(), hmac.compare_digest(b"a", b"b"))
print(hashlib.pbkdf2_hmac("sha1", b"p", b"s", 10).hex(), hashlib.blake2b(b"x", digest_size=4, key=b"k").hexdigest(), "sha256" in hashlib.algorithms_guaranteed)
print(hashlib.scrypt(b"p", salt=b"s", n=2, r=1, p=1, dklen=8).hex())
hashlib.new("no-such-hash")
