import colorsys
import ipaddress

n = ipaddress.ip_network("192.168.0.0/29")
print(n, n.num_addresses, list(n.hosts())[0], ipaddress.ip_address("::1").is_loopback, ipaddress.ip_address("10.1.2.3") in ipaddress.ip_network("10.0.0.0/8"))
print(colorsys.rgb_to_hsv(1, 0.5, 0), colorsys.hls_to_rgb(0.5, 0.5, 0.5), list(ipaddress.summarize_address_range(ipaddress.ip_address("1.0.0.0"), ipaddress.ip_address("1.0.0.4"))))
ipaddress.ip_network("192.168.0.1/24")
