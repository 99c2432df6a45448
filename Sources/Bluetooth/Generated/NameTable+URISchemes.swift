// swift-format-ignore-file
// Made by Scripts/import-assigned-numbers.py; do not edit. Numbers and names: Bluetooth SIG, Assigned Numbers.

extension NameTable {
  /// Scheme names that a URI in advertising data begins with.
  // Not inlined, or each module that uses it would have a copy of the texts.
  @inline(never)
  static var uriSchemes: NameTable { NameTable(index: uriSchemesIndex, names: uriSchemesText) }
}

private let uriSchemesIndex: StaticString = ##"""
000200000 000300005 00040000b 000500012 000600018 00070001e 000800023 000900028 000a0002e
000b00035 000c0003b 000d00041 000e00046 000f0004c 001000051 001100057 00120005c 001300061
001400065 00150006d 001600073 001700079 001800080 001900085 001a0008b 001b0008f 001c00095
001d0009b 001e000a0 001f000a6 0020000ac 0021000b7 0022000c1 0023000cc 0024000d6 0025000de
0026000e4 0027000ec 0028000f1 0029000f7 002a000fe 002b00104 002c0010d 002d00113 002e00118
002f0011c 003000121 003100127 003200138 00330013d 003400143 00350014b 003600151 003700158
00380015f 003900168 003a00171 003b00178 003c0017f 003d00184 003e0018a 003f0018f 004000195
0041001a0 0042001ac 0043001b2 0044001b9 0045001be 0046001c3 0047001cb 0048001d1 0049001de
004a001e6 004b001eb 004c001f1 004d001f8 004e001fc 004f00201 005000208 00510020c 005200211
005300217 005400224 005500231 00560023f 005700245 00580024e 005900257 005a0025c 005b00267
005c0026c 005d00271 005e00276 005f0027b 006000287 00610028b 006200293 00630029c 0064002a5
0065002ab 0066002b3 0067002bb 0068002cd 0069002e6 006a002ef 006b002f4 006c00305 006d00319
006e0031e 006f00323 007000329 007100333 007200339 007300344 00740034c 007500352 007600356
00770035b 007800369 007900370 007a00375 007b0037a 007c00380 007d00385 007e0038a 007f00390
008000396 00810039c 0082003a1 0083003a6 0084003af 0085003b7 0086003be 0087003c6 0088003cc
0089003d4 008a003dd 008b003e2 008c003eb 008d003fe 008e00405 008f0040d 009000412 009100419
00920041e 009300424 00940042f 009500437 009600441 009700448 00980044e 009900455 009a0045a
009b00464 009c00469 009d00470 009e00477 009f0047d 00a000489 00a10048f 00a200494 00a30049b
00a4004a0 00a5004a6 00a6004ae 00a7004b7 00a8004bc 00a9004c3 00aa004cb 00ab004d0 00ac004db
00ad004e5 00ae004ed 00af004f2 00b0004fa 00b100502 00b20050c 00b300519 00b400521 00b500527
00b600530 00b700537 00b80053c 00b900543 00ba0054c
"""##

private let uriSchemesText: StaticString = ##"""
aaa:
aaas:
about:
acap:
acct:
cap:
cid:
coap:
coaps:
crid:
data:
dav:
dict:
dns:
file:
ftp:
geo:
go:
gopher:
h323:
http:
https:
iax:
icap:
im:
imap:
info:
ipp:
ipps:
iris:
iris.beep:
iris.xpc:
iris.xpcs:
iris.lwz:
jabber:
ldap:
mailto:
mid:
msrp:
msrps:
mtqp:
mupdate:
news:
nfs:
ni:
nih:
nntp:
opaquelocktoken:
pop:
pres:
reload:
rtsp:
rtsps:
rtspu:
service:
session:
shttp:
sieve:
sip:
sips:
sms:
snmp:
soap.beep:
soap.beeps:
stun:
stuns:
tag:
tel:
telnet:
tftp:
thismessage:
tn3270:
tip:
turn:
turns:
tv:
urn:
vemmi:
ws:
wss:
xcon:
xcon-userid:
xmlrpc.beep:
xmlrpc.beeps:
xmpp:
z39.50r:
z39.50s:
acr:
adiumxtra:
afp:
afs:
aim:
apt:
attachment:
aw:
barion:
beshare:
bitcoin:
bolo:
callto:
chrome:
chrome-extension:
com-eventbrite-attendee:
content:
cvs:
dlna-playsingle:
dlna-playcontainer:
dtn:
dvb:
ed2k:
facetime:
feed:
feedready:
finger:
fish:
gg:
git:
gizmoproject:
gtalk:
ham:
hcp:
icon:
ipn:
irc:
irc6:
ircs:
itms:
jar:
jms:
keyparc:
lastfm:
ldaps:
magnet:
maps:
market:
message:
mms:
ms-help:
ms-settings-power:
msnim:
mumble:
mvn:
notes:
oid:
palm:
paparazzi:
pkcs11:
platform:
proxy:
psyc:
query:
res:
resource:
rmi:
rsync:
rtmfp:
rtmp:
secondlife:
sftp:
sgn:
skype:
smb:
smtp:
soldat:
spotify:
ssh:
steam:
submit:
svn:
teamspeak:
teliaeid:
things:
udp:
unreal:
ut2004:
ventrilo:
view-source:
webcal:
wtai:
wyciwyg:
xfire:
xri:
ymsgr:
example:
ms-settings-cloudstorage:

"""##
