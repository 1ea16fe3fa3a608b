import os
import random
import secrets
import uuid

print(random.random() != random.random(), 0 <= random.randrange(10) < 10, len(secrets.token_hex(8)), len(os.urandom(4)))
print(uuid.uuid4().version, uuid.uuid5(uuid.NAMESPACE_DNS, "x"), uuid.uuid1().variant, len(secrets.token_urlsafe(16)), secrets.choice([1]))
print(uuid.UUID(int=5), uuid.UUID("12345678123456781234567812345678").hex, secrets.compare_digest("a", "a"))
