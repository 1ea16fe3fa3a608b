import html
import html.parser
import xml.dom.minidom
import xml.etree.ElementTree as ET
import xml.sax

print(html.escape("<a & 'b'>"), html.unescape("&eacute;&#x41;&notanentity;"))


class P(html.parser.HTMLParser):
    def handle_starttag(self, tag, attrs):
        print("start", tag, attrs)

    def handle_data(self, data):
        print("data", repr(data))


P().feed("<p class='x'>text<br>more</p>")
root = ET.fromstring("<r><a x='1'>t</a><b/></r>")
print([(e.tag, e.attrib, e.text) for e in root.iter()], ET.tostring(root), root.find("a").get("x"))
print(xml.dom.minidom.parseString("<a><b>c</b></a>").toprettyxml(indent=" "))


class H(xml.sax.ContentHandler):
    def startElement(self, name, attrs):
        print("sax", name, dict(attrs))


xml.sax.parseString("<a q='1'><b/></a>", H())
ET.fromstring("<broken>")
