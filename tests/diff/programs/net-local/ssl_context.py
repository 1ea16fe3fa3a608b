import ssl

c = ssl.create_default_context()
print(c.check_hostname, c.verify_mode, ssl.HAS_TLSv1_3, len(ssl.RAND_bytes(8)), c.protocol, ssl.OPENSSL_VERSION_INFO >= (1, 1))
s = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
print(s.verify_mode, s.get_ca_certs(), ssl.cert_time_to_seconds("Jan  5 09:34:43 2018 GMT"), ssl.CERT_NONE)
s.load_cert_chain("missing.pem")
