import gettext
import locale

print(gettext.gettext("hello"), gettext.ngettext("%d file", "%d files", 2) % 2, gettext.NullTranslations().gettext("x"))
print(locale.localeconv()["decimal_point"], locale.format_string("%.2f", 1234.5, grouping=True), locale.atof("1.5"))
print(locale.getlocale(), sorted(["b", "A", "a"], key=locale.strxfrm))
locale.setlocale(locale.LC_ALL, "xx_XX")
