// swift-format-ignore-file
// Made by Scripts/import-assigned-numbers.py; do not edit. Numbers and names: Bluetooth SIG, Assigned Numbers.

extension NameTable {
  /// What 16-bit UUIDs stand for, or who registered them.
  // Not inlined, or each module that uses it would have a copy of the texts.
  @inline(never)
  static var uuids: NameTable { NameTable(index: uuidsIndex, names: uuidsText) }
}

private let uuidsIndex: StaticString = ##"""
000100000 000200004 000300008 00040000f 000500013 00060001b 000700022 000800026 00090002b
000a0002e 000c00032 000e00037 000f0003b 001000040 001100045 001200052 001400069 00160007d
001700099 00190009f 001b000a5 001e000aa 001f000bf 0100000d1 1000000d7 1001000fc 100200120
110100131 11020013c 11030014e 110400161 11050016a 110600179 11070018c 11080019c 1109001a4
110a001b6 110b001c3 110c001ce 110d001e8 110e00204 110f00217 111000235 11110023e 111200242
111300258 11140025c 111500267 11160026c 111700270 111800273 111900282 111a00294 111b0029c
111c002ae 111d002c8 111e002e3 111f002ee 1120002fc 112100323 11220032f 11230033d 11240034c
112500350 112600369 112700373 11280037c 112d0038f 112e0039a 112f003b2 1130003ca 1131003e3
1132003f0 113300406 113400422 113500439 11360043e 11370044a 113800455 113900460 113a00471
113b0048d 113c00491 113d004a4 113e004bd 1200004de 1201004ed 120200500 120300514 120400522
120500533 120600540 130000550 130100561 130200572 130300582 13040058f 13050059a 1400005ad
1401005b1 1402005bc 1600005c5 1601005ea 160200615 16030063a 16040065a 160500679 16060069a
1800006bb 1801006ca 1802006dc 1803006ec 1804006f6 1805006ff 18060070c 180700722 180800732
18090073a 180a0074d 180d00760 180e0076b 180f0077e 181000786 181100795 1812007a8 1813007bf
1814007cf 1815007e9 1816007f7 181800811 18190081f 181a00837 181b0084d 181c0085e 181d00868
181e00875 181f00885 1820008a3 1821008bd 1822008d0 1823008df 1824008ea 1825008fe 18260090e
18270091e 182800930 18290093b 183a00956 183b00967 183c00975 183d0098d 183e009a3 183f009bd
1840009ca 1843009e0 1844009f4 184500a03 184600a19 184700a38 184800a44 184900a52 184a00a68
184b00a80 184c00a91 184d00aaa 184e00abd 184f00ad2 185000ae7 185100b04 185200b1d 185300b3a
185400b47 185500b56 185600b70 185700b8e 185800ba5 185900bb2 185a00bca 185b00be8 185c00bf0
185d00bf8 185e00c01 185f00c11 270000c29 270100c32 270200c41 270300c51 270400c5f 270500c79
270600c9c 270700cb7 271000cd4 271100ce9 271200cff 271300d1c 271400d45 271500d63 271600d86
271700db2 271800ddd 271900e07 271a00e32 271b00e5e 271c00e8c 271d00eb1 271e00ec2 272000ed8
272100eed 272200f05 272300f17 272400f26 272500f38 272600f47 272700f54 272800f6e 272900f93
272a00fa7 272b00fc1 272c00fe0 272d00ff6 272e01014 272f01027 27300104c 273101062 273201074
2733010a4 2734010b9 2735010d3 2740010ee 274101110 27420112f 274301152 274401177 2745011a8
2746011d2 2747011f3 274801226 27490124b 274a01278 274b0129f 274c012c8 274d012fa 274e0132c
274f0135d 27500137c 27510139b 2752013b9 2753013df 2754013ff 275501424 27560144b 275701476
2760014af 2761014bd 2762014c9 2763014d4 2764014e9 2765014fe 276601513 276701522 276801531
27800153e 27810154d 27820156e 278301582 278401599 2785015a5 2786015b5 2787015d8 27a0015f9
27a101607 27a201617 27a301625 27a401633 27a501641 27a601668 27a701686 27a80169f 27a9016c8
27aa016de 27ab016f8 27ac0170f 27ad0173d 27ae01748 27af01752 27b00176c 27b10178b 27b2017b2
27b3017d5 27b4017e1 27b5017ee 27b601814 27b701837 27b80185c 27b901869 27ba0187e 27bc01890
27bd018a4 27be018c0 27bf018e3 27c001900 27c10191d 27c201939 27c301958 27c401971 27c501983
27c601995 27c7019ce 27c801a00 27c901a28 280001a37 280101a47 280201a59 280301a61 290001a70
290101a93 290201ab3 290301ad7 290401afb 290501b1e 290601b3e 290701b4a 290801b64 290901b75
290a01b88 290b01b9e 290c01bc2 290d01be4 290e01c0a 290f01c1f 291001c44 291101c59 291201c72
291301c8a 291401c9e 291501cb1 291601cc5 291701cd9 2a0001cf1 2a0101cfd 2a0201d08 2a0301d20
2a0401d35 2a0501d60 2a0601d70 2a0701d7c 2a0801d8b 2a0901d95 2a0a01da1 2a0c01daf 2a0d01dbe
2a0e01dc9 2a0f01dd3 2a1101dea 2a1201df8 2a1301e06 2a1401e12 2a1601e2d 2a1701e47 2a1801e59
2a1901e6d 2a1c01e7b 2a1d01e93 2a1e01ea4 2a2101ebd 2a2201ed2 2a2301eed 2a2401ef7 2a2501f0b
2a2601f20 2a2701f39 2a2801f52 2a2901f6b 2a2a01f84 2a2b01fb8 2a2c01fc5 2a3101fda 2a3201fe7
2a3302003 2a340201b 2a3502037 2a3602052 2a370206d 2a3802084 2a3902099 2a3f020b2 2a40020bf
2a41020d4 2a42020e3 2a43020fe 2a4402110 2a4502131 2a4602145 2a470214f 2a480216c 2a490218c
2a4a021a3 2a4b021b3 2a4c021be 2a4d021d0 2a4e021d7 2a4f021e5 2a50021fa 2a5102201 2a5202211
2a530222d 2a540223d 2a5502249 2a5a0225a 2a5b02264 2a5c02274 2a5d02280 2a5e02290 2a5f022ab
2a60022c6 2a63022d3 2a64022ed 2a6502302 2a6602318 2a6702334 2a6802347 2a6902352 2a6a02363
2a6b0236e 2a6c0237f 2a6d02389 2a6e02392 2a6f0239e 2a70023a7 2a71023b7 2a72023cb 2a73023df
2a74023f7 2a7502403 2a7602418 2a7702421 2a780242c 2a7902435 2a7a02440 2a7b0244b 2a7d02455
2a7e0246e 2a7f0248d 2a800249f 2a81024a3 2a82024c4 2a83024e5 2a84024f9 2a8502518 2a8602526
2a8702543 2a8802551 2a8902571 2a8a02591 2a8b0259c 2a8c025b8 2a8d025bf 2a8e025ce 2a8f025d5
2a90025e7 2a91025f1 2a9202610 2a9302623 2a9402653 2a9502670 2a960268b 2a9702693 2a98026a7
2a99026ae 2a9a026c8 2a9b026d3 2a9c026ec 2a9d02709 2a9e0271c 2a9f02731 2aa002744 2aa10275f
2aa20277a 2aa302783 2aa40279d 2aa5027bb 2aa6027d3 2aa7027ee 2aa8027fe 2aa90280a 2aaa02815
2aab0282c 2aac02841 2aad02860 2aae02881 2aaf0288a 2ab002894 2ab1028ab 2ab2028c1 2ab3028ce
2ab4028d7 2ab5028e3 2ab6028f1 2ab7028f5 2ab802902 2ab902913 2aba02924 2abb02937 2abc02946
2abd02958 2abe02964 2abf02970 2ac00297c 2ac102988 2ac20299d 2ac3029b2 2ac4029bc 2ac5029ce
2ac6029ea 2ac702a04 2ac802a17 2ac902a26 2aca02a46 2acb02a52 2acc02a64 2acd02a7c 2ace02a8b
2acf02a9e 2ad002ab0 2ad102ac3 2ad202ace 2ad302adf 2ad402aef 2ad502b05 2ad602b21 2ad702b42
2ad802b5d 2ad902b73 2ada02b91 2adb02ba8 2adc02bc2 2add02bdd 2ade02bf0 2ae002c04 2ae102c14
2ae202c24 2ae302c2c 2ae402c4e 2ae502c67 2ae602c8a 2ae702ca1 2ae802cc5 2ae902cd1 2aea02cee
2aeb02cf7 2aec02d00 2aed02d0d 2aee02d16 2aef02d27 2af002d3e 2af102d5d 2af202d79 2af302d80
2af402d9a 2af502dab 2af602dbb 2af702dcb 2af802ddb 2af902dea 2afa02df8 2afb02e11 2afc02e1d
2afd02e2f 2afe02e3f 2aff02e51 2b0002e5f 2b0102e73 2b0202e86 2b0302e90 2b0402ea4 2b0502eb1
2b0602eb7 2b0702ecb 2b0802eef 2b0902f19 2b0a02f3b 2b0b02f62 2b0c02f84 2b0d02faa 2b0e02fb8
2b0f02fd9 2b1002ff2 2b1103004 2b120301b 2b130302b 2b140303e 2b150304b 2b160305f 2b170306e
2b180307c 2b1903084 2b1a0309a 2b1b030ad 2b1c030b9 2b1d030d1 2b1e030dc 2b1f030e8 2b2003111
2b2103124 2b220312f 2b2303147 2b2403154 2b2503174 2b260318e 2b270319f 2b28031bf 2b29031d0
2b2a031ea 2b2b031f8 2b2c0320a 2b2d03217 2b2e03224 2b2f03233 2b300323e 2b310324a 2b320325e
2b3303274 2b3403286 2b35032aa 2b36032ce 2b37032e4 2b38032f4 2b3903309 2b3a0331c 2b3b03336
2b3c03359 2b3d0337d 2b3e0339b 2b3f033c9 2b40033f1 2b4103414 2b4203436 2b4303452 2b440347a
2b450349c 2b46034c1 2b47034d1 2b48034e8 2b49034f4 2b4a03502 2b4b0350d 2b4c03525 2b4d03541
2b4e03563 2b4f03571 2b5003591 2b51035a0 2b77035aa 2b78035bc 2b79035d4 2b7a035e5 2b7b035f8
2b7c03612 2b7d0362a 2b7e03637 2b7f0364c 2b8003659 2b810366d 2b820367c 2b8303698 2b84036b1
2b85036cc 2b86036e1 2b87036f1 2b8803701 2b890371d 2b8a03730 2b8b0373f 2b8c03758 2b8d0376c
2b8e03780 2b8f03794 2b90037ab 2b91037b7 2b92037d1 2b93037e6 2b94037f8 2b9503814 2b960382a
2b9703838 2b9803844 2b9903853 2b9a03862 2b9b03871 2b9c0387f 2b9d038a0 2b9e038b8 2b9f038cd
2ba0038e4 2ba1038fc 2ba20390a 2ba303923 2ba40392f 2ba503943 2ba603969 2ba703982 2ba803997
2ba9039a1 2baa039b3 2bab039c1 2bac039c7 2bad039cd 2bae039ec 2baf03a1f 2bb003a5a 2bb103a90
2bb203abd 2bb303ae5 2bb403afa 2bb503b05 2bb603b17 2bb703b39 2bb803b50 2bb903b7a 2bba03b94
2bbb03ba7 2bbc03bb4 2bbd03bd4 2bbe03bdf 2bbf03bf2 2bc003c16 2bc103c29 2bc203c37 2bc303c4a
2bc403c4f 2bc503c58 2bc603c63 2bc703c75 2bc803c98 2bc903cb0 2bca03cb9 2bcb03cce 2bcc03cd9
2bcd03cf0 2bce03d09 2bcf03d22 2bd003d38 2bd103d56 2bd203d6c 2bd303d8b 2bd403dc0 2bd503dd4
2bd603dfb 2bd703e24 2bd803e4c 2bd903e69 2bda03e8b 2bdb03ea0 2bdc03ec1 2bdd03ed5 2bde03ef0
2bdf03f00 2be003f11 2be103f1e 2be203f31 2be303f3e 2be403f50 2be503f56 2be603f8f 2be703f9e
2be803fb0 2be903fc2 2bea03fda 2beb03ff0 2bec0400b 2bed0401f 2bee04034 2bef04048 2bf00405f
2bf104075 2bf204092 2bf30409f 2bf4040b6 2bf5040c8 2bf6040e0 2bf7040ec 2bf804101 2bf90411b
2bfa04135 2bfb0414d 2bfc04163 2bfd0417a 2bfe0418e 2bff041a0 2c00041b8 2c01041c2 2c02041cf
2c03041dc 2c04041e9 2c05041f6 2c0604209 2c0704216 2c080421c 2c090422c 2c0a0423d 2c0b04244
2c0c0424b 2c0d04256 2c0e04274 2c0f04283 2c1004293 2c11042a3 2c12042b6 2c13042c2 2c14042d6
2c15042e3 2c16042fa 2c1704311 2c1804323 2c1904336 2c1a0434f 2c1b04364 2c1c0436f 2c1d0437e
2c1e04390 2c1f043aa 2c20043c8 2c21043db 2c22043ef 2c2304400 2c2404413 2c2504429 2c260443e
2c270444d 2c280445f 2c2904473 2c2a0448d 2c2b044b5 2c2c044dc 2c2d044f1 2c2e0450b 2c2f0451f
2c300453c 2c3104556 2c320456b 2c3304580 2c34045a6 2c35045b9 2c36045d7 2c37045f4 2c3804618
fc390463b fc3a04650 fc3b0465d fc3c04667 fc3d04686 fc3e04696 fc3f046a1 fc41046ba fc43046c7
fc44046e2 fc45046ee fc460470e fc4704715 fc480473a fc4904743 fc4a04751 fc4b04769 fc4c04777
fc4d0477f fc4e04798 fc4f047b1 fc50047bf fc51047d3 fc52047e7 fc53047fb fc5404811 fc5504845
fc5604859 fc5704864 fc5804876 fc590489c fc5a048b0 fc5b048bf fc5c048d8 fc5d04905 fc5e04928
fc5f0493b fc600494b fc6104966 fc6204974 fc6304982 fc6404996 fc65049aa fc66049c1 fc67049cd
fc68049fc fc6904a07 fc6a04a1c fc6b04a26 fc6c04a30 fc6d04a3f fc6e04a59 fc6f04a61 fc7004a71
fc7104a8b fc7204aa5 fc7304ab1 fc7404abc fc7504ac8 fc7604ad4 fc7704aef fc7804b1b fc7904b1f
fc7a04b33 fc7b04b52 fc7c04b66 fc7d04b7d fc7e04b89 fc7f04b9e fc8004ba6 fc8104bcb fc8204be1
fc8304bed fc8404c00 fc8504c24 fc8604c48 fc8704c5e fc8804c74 fc8904c84 fc8a04c96 fc8b04ca8
fc8c04cc9 fc8d04cd5 fc8e04ce0 fc8f04cf5 fc9004d06 fc9104d12 fc9204d30 fc9304d4a fc9404d57
fc9504d62 fc9604d7b fc9704d8b fc9804d9e fc9904db5 fc9a04dc2 fc9b04dcc fc9d04dea fc9e04e06
fc9f04e20 fca004e3c fca104e47 fca204e63 fca304e7e fca404e91 fca504e99 fca604eb2 fca704ec6
fca804eda fca904ee9 fcaa04ef8 fcab04f06 fcac04f11 fcad04f1c fcae04f46 fcaf04f60 fcb004f6e
fcb104f81 fcb204f8c fcb304f97 fcb404f9d fcb504fb8 fcb604fd3 fcb704fee fcb804ffb fcb905009
fcba05029 fcbb05035 fcbc0504e fcbd05063 fcbe05077 fcbf0508b fcc0050b2 fcc1050be fcc2050d7
fcc3050f3 fcc4050fb fcc505112 fcc605129 fcc705135 fcc80513d fcc905151 fcca05167 fccb05175
fccc0517f fccd051a0 fcce051b2 fccf051c4 fcd0051cf fcd1051e2 fcd205201 fcd305217 fcd405232
fcd505243 fcd60525d fcd705274 fcd805285 fcd905298 fcda052a2 fcdb052aa fcdc052b6 fcdd052cf
fcde052dc fcdf052e9 fce0052f7 fce105317 fce20532e fce305348 fce405367 fce50537d fce605393
fce7053ad fce8053bf fce9053ce fcea053df fceb053ef fcec053f6 fced05405 fcee05415 fcef05424
fcf005434 fcf105456 fcf205461 fcf30546d fcf40547a fcf505483 fcf6054a9 fcf7054be fcf8054d5
fcf9054ec fcfa05504 fcfb0551c fcfc0553c fcfd05557 fcfe05572 fcff0558f fd0005594 fd01055bb
fd02055d7 fd03055e7 fd04055f1 fd05055fc fd0605618 fd0705624 fd0805630 fd0905650 fd0a05666
fd0b05678 fd0c0568a fd0d05699 fd0e056a4 fd0f056b2 fd10056c6 fd11056da fd12056ee fd1305702
fd1405713 fd1505724 fd160573a fd170574a fd1805760 fd1905776 fd1a05795 fd1b0579b fd1c057af
fd1d057c4 fd1e057e1 fd1f057f3 fd20057f6 fd2105805 fd2205823 fd2305841 fd2405866 fd2505894
fd26058c2 fd27058d3 fd28058f9 fd290590a fd2a05922 fd2b05933 fd2c0594b fd2d05963 fd2e0596f
fd2f05986 fd300599d fd31059b0 fd32059c4 fd33059d7 fd34059e7 fd35059f5 fd3605a10 fd3705a1b
fd3805a2a fd3905a36 fd3a05a40 fd3b05a4d fd3c05a5a fd3d05a76 fd3e05a9b fd3f05ab1 fd4005abf
fd4105acb fd4205ad9 fd4305af1 fd4405afc fd4505b07 fd4605b1b fd4705b25 fd4805b39 fd4905b52
fd4a05b68 fd4b05b7b fd4c05b99 fd4d05bb3 fd4e05bc2 fd4f05bd1 fd5005be9 fd5105c17 fd5205c2d
fd5305c43 fd5405c57 fd5505c7a fd5605c94 fd5705c9f fd5805cb5 fd5905ccb fd5a05ce9 fd5b05d07
fd5c05d13 fd5d05d20 fd5e05d31 fd5f05d3d fd6005d5e fd6105d72 fd6205d7c fd6305d87 fd6405d92
fd6505d98 fd6605da3 fd6705dc2 fd6805dd8 fd6905ded fd6a05e0a fd6b05e12 fd6c05e1f fd6d05e3d
fd6e05e50 fd6f05e63 fd7005e6f fd7105ea3 fd7205eb2 fd7305ecc fd7405ee3 fd7505efa fd7605f0e
fd7705f22 fd7805f2b fd7905f34 fd7a05f3d fd7b05f46 fd7c05f56 fd7d05f85 fd7e05fb4 fd7f05fd2
fd8005fdf fd8105ff9 fd820600b fd830601c fd8406033 fd850603e fd860604b fd8706052 fd880605d
fd890606d fd8a0607d fd8b06096 fd8c060a5 fd8d060b0 fd8e060be fd90060d1 fd9106105 fd9206114
fd9306145 fd9406161 fd950617c fd9606183 fd970618e fd980619e fd99061be fd9a061c5 fd9b061e3
fd9c06201 fd9d0621f fd9e06232 fd9f06248 fda006261 fda106275 fda206283 fda306291 fda40629f
fda5062ad fda6062c1 fda7062ed fda806319 fda90632e fdaa06344 fdab06350 fdac0635c fdad0636f
fdae06389 fdaf063a3 fdb0063ae fdb1063be fdb2063ce fdb3063e6 fdb4063f1 fdb5063f8 fdb6063fd
fdb70640e fdb806420 fdbb06432 fdbc0643a fdbd06442 fdbe06457 fdbf0646e fdc006485 fdc106494
fdc2064a3 fdc3064d6 fdc406509 fdc506521 fdc606530 fdc706546 fdc80655c fdc90656d fdca06587
fdcb065a1 fdcc065ac fdcd065bf fdce065e7 fdcf0660b fdd00661d fdd10663a fdd206657 fdd306668
fdd406689 fdd5066a2 fdd6066b7 fdd7066ca fdd8066e1 fdd906701 fdda06721 fddb06726 fddc06744
fddd0675b fdde0676c fddf06783 fde006798 fde1067a3 fde2067bd fde3067c8 fde4067dd fde5067ed
fde6067fd fde706819 fde806828 fde90683a fdea06851 fdeb0685e fdec06874 fded06889 fdee06893
fdef068b1 fdf0068c7 fdf1068d2 fdf2068e4 fdf306904 fdf40690f fdf506927 fdf606940 fdf70694b
fdf806953 fdf90695b fdfa06960 fdfb06975 fdfc0698a fdfd06994 fdfe069a7 fdff069bc fe00069c7
fe01069e1 fe02069ff fe0306a11 fe0406a2b fe0506a44 fe0606a6b fe0706a87 fe0806a93 fe0906a9d
fe0a06aaa fe0b06abe fe0c06ad2 fe0d06ae3 fe0e06af4 fe0f06b02 fe1006b3c fe1106b57 fe1206b6e
fe1306b83 fe1406b8e fe1506bb1 fe1606bcc fe1706bdc fe1806bfa fe1906c08 fe1a06c13 fe1b06c21
fe1c06c2f fe1d06c3e fe1e06c60 fe1f06c74 fe2006c8f fe2106c97 fe2206ca8 fe2306cc1 fe2406cda
fe2506cea fe2606cf6 fe2706d01 fe2806d0c fe2906d1a fe2a06d2d fe2b06d3e fe2c06d4d fe2d06d58
fe2e06d6c fe2f06d75 fe3006d8a fe3106d98 fe3206da6 fe3306db5 fe3406dc4 fe3506dd2 fe3606def
fe3906e0c fe3a06e30 fe3b06e54 fe3c06e67 fe3d06e6f fe3e06e7a fe3f06e85 fe4006e99 fe4106eaf
fe4206ec5 fe4306ece fe4406ee8 fe4506ef3 fe4606f00 fe4706f0d fe4806f1c fe4906f2b fe4a06f38
fe4b06f53 fe4c06f8d fe4d06f9b fe4e06fb3 fe4f06fbe fe5006fcd fe5106fd8 fe5206fdd fe5306fee
fe5406ff1 fe5506ffd fe5607008 fe5707013 fe580701f fe5907038 fe5a07051 fe5b07069 fe5c0707b
fe5d07090 fe5e0709d fe5f070b0 fe60070bc fe61070e8 fe6207102 fe6307113 fe6407128 fe6507133
fe6607142 fe6707154 fe6807169 fe6907182 fe6a0719b fe6b071bd fe6c071d7 fe6d071f1 fe6e07209
fe6f07221 fe7007232 fe710725d fe720726e fe7307297 fe74072c0 fe75072c7 fe76072cf fe77072d7
fe78072ef fe7907307 fe7a0731a fe7b07325 fe7c07336 fe7d0736d fe7e07381 fe7f07395 fe80073a1
fe81073ad fe82073bc fe83073cb fe84073d5 fe85073e5 fe86073f5 fe8707412 fe880746f fe8907482
fe8a0748f fe8b0749b fe8c074a7 fe8d074b2 fe8e074c1 fe8f074c9 fe90074cd fe91074d2 fe92074f5
fe930750e fe9407517 fe9507520 fe960752c fe970753e fe9807550 fe990755c fe9a07568 fe9b07571
fe9c07587 fe9d0759e fe9e075b5 fe9f075d5 fea0075e0 fea3075eb fea4075fa fea50760c fea607618
fea707624 fea80763a fea90764d feaa07660 feab0766b feac07671 fead07677 feae0767d feaf07683
feb007691 feb10769f feb2076bc feb3076d2 feb4076d9 feb5076e7 feb6076f5 feb707705 feb80771a
feb90772f feba0773e febb07757 febc0776b febd07776 febe0778a febf0779b fec0077a5 fec1077b6
fec2077c7 fec3077e5 fec4077f2 fec507808 fec607824 fec707832 fec80783e fec90784a feca07856
fecb07862 fecc0786e fecd0787a fece07886 fecf07892 fed00789e fed1078aa fed2078b6 fed3078c2
fed4078ce fed5078da fed6078eb fed7078f4 fed8078fd fed907908 feda07926 fedb0793e fedc0794a
fedd07952 fede0795a fee007965 fee107992 fee2079bf fee3079ca fee4079d5 fee5079ee fee607a07
fee707a15 fee807a2f fee907a3d feea07a4b feeb07a60 feec07a75 feed07a80 feee07a8b feef07a9c
fef007aad fef107ab3 fef207ab7 fef307abb fef407ac6 fef507ad1 fef607aeb fef707afb fef807b0d
fef907b1f fefa07b2c fefb07b39 fefc07b70 fefd07b7d fefe07b8a feff07b99 ffef07ba3 fff007bbe
fff107be0 fff207bf1 fff307bf7 fff407c07 fff507c17 fff607c38 fff707c4a fff807c58 fff907c6c
fffa07c9b fffb07caa fffc07cc6 fffd07ce4 fffe07d0a
"""##

private let uuidsText: StaticString = ##"""
SDP
UDP
RFCOMM
TCP
TCS-BIN
TCS-AT
ATT
OBEX
IP
FTP
HTTP
WSP
BNEP
UPNP
HID Protocol
HardcopyControlChannel
HardcopyDataChannel
HardcopyNotificationChannel
AVCTP
AVDTP
CMTP
MCAP Control Channel
MCAP Data Channel
L2CAP
ServiceDiscoveryServerServiceClassID
BrowseGroupDescriptorServiceClassID
PublicBrowseRoot
SerialPort
LANAccessUsingPPP
Dial-Up Networking
IrMCSync
OBEXObjectPush
OBEX File Transfer
IrMCSyncCommand
Headset
CordlessTelephony
Audio Source
Audio Sink
A/V Remote Control Target
Advanced Audio Distribution
A/V Remote Control
A/V Remote Control Controller
Intercom
Fax
Headset Audio Gateway
WAP
WAP_CLIENT
PANU
NAP
GN
DirectPrinting
ReferencePrinting
Imaging
Imaging Responder
Imaging Automatic Archive
Imaging Referenced Objects
Hands-Free
AG Hands-Free
DirectPrintingReferencedObjectsService
ReflectedUI
BasicPrinting
PrintingStatus
HID
HardcopyCableReplacement
HCR_Print
HCR_Scan
Common_ISDN_Access
SIM Access
Phonebook Access Client
Phonebook Access Server
Phonebook Access Profile
Headset - HS
Message Access Server
Message Notification Server
Message Access Profile
GNSS
GNSS_Server
3D Display
3D Glasses
3D Synch Profile
Multi Profile Specification
MPS
CTN Access Service
CTN Notification Service
Calendar Tasks and Notes Profile
PnPInformation
Generic Networking
GenericFileTransfer
Generic Audio
GenericTelephony
UPNP_Service
UPNP_IP_Service
ESDP_UPNP_IP_PAN
ESDP_UPNP_IP_LAP
ESDP_UPNP_L2CAP
Video Source
Video Sink
Video Distribution
HDP
HDP Source
HDP Sink
Ambient Light Sensor NLC Profile 1.0
Basic Lightness Controller NLC Profile 1.0
Basic Scene Selector NLC Profile 1.0
Dimming Control NLC Profile 1.0
Energy Monitor NLC Profile 1.0
Occupancy Sensor NLC Profile 1.0
HVAC Integration NLC Profile 1.0
Generic Access
Generic Attribute
Immediate Alert
Link Loss
Tx Power
Current Time
Reference Time Update
Next DST Change
Glucose
Health Thermometer
Device Information
Heart Rate
Phone Alert Status
Battery
Blood Pressure
Alert Notification
Human Interface Device
Scan Parameters
Running Speed and Cadence
Automation IO
Cycling Speed and Cadence
Cycling Power
Location and Navigation
Environmental Sensing
Body Composition
User Data
Weight Scale
Bond Management
Continuous Glucose Monitoring
Internet Protocol Support
Indoor Positioning
Pulse Oximeter
HTTP Proxy
Transport Discovery
Object Transfer
Fitness Machine
Mesh Provisioning
Mesh Proxy
Reconnection Configuration
Insulin Delivery
Binary Sensor
Emergency Configuration
Authorization Control
Physical Activity Monitor
Elapsed Time
Generic Health Sensor
Audio Input Control
Volume Control
Volume Offset Control
Coordinated Set Identification
Device Time
Media Control
Generic Media Control
Constant Tone Extension
Telephone Bearer
Generic Telephone Bearer
Microphone Control
Audio Stream Control
Broadcast Audio Scan
Published Audio Capabilities
Basic Audio Announcement
Broadcast Audio Announcement
Common Audio
Hearing Access
Telephony and Media Audio
Public Broadcast Announcement
Electronic Shelf Label
Gaming Audio
Mesh Proxy Solicitation
Industrial Measurement Device
Ranging
HID ISO
Cookware
Voice Assistant
Generic Voice Assistant
unitless
length (metre)
mass (kilogram)
time (second)
electric current (ampere)
thermodynamic temperature (kelvin)
amount of substance (mole)
luminous intensity (candela)
area (square metres)
volume (cubic metres)
velocity (metres per second)
acceleration (metres per second squared)
wavenumber (reciprocal metre)
density (kilogram per cubic metre)
surface density (kilogram per square metre)
specific volume (cubic metre per kilogram)
current density (ampere per square metre)
magnetic field strength (ampere per metre)
amount concentration (mole per cubic metre)
mass concentration (kilogram per cubic metre)
luminance (candela per square metre)
refractive index
relative permeability
plane angle (radian)
solid angle (steradian)
frequency (hertz)
force (newton)
pressure (pascal)
energy (joule)
power (watt)
electric charge (coulomb)
electric potential difference (volt)
capacitance (farad)
electric resistance (ohm)
electric conductance (siemens)
magnetic flux (weber)
magnetic flux density (tesla)
inductance (henry)
Celsius temperature (degree Celsius)
luminous flux (lumen)
illuminance (lux)
activity referred to a radionuclide (becquerel)
absorbed dose (gray)
dose equivalent (sievert)
catalytic activity (katal)
dynamic viscosity (pascal second)
moment of force (newton metre)
surface tension (newton per metre)
angular velocity (radian per second)
angular acceleration (radian per second squared)
heat flux density (watt per square metre)
heat capacity (joule per kelvin)
specific heat capacity (joule per kilogram kelvin)
specific energy (joule per kilogram)
thermal conductivity (watt per metre kelvin)
energy density (joule per cubic metre)
electric field strength (volt per metre)
electric charge density (coulomb per cubic metre)
surface charge density (coulomb per square metre)
electric flux density (coulomb per square metre)
permittivity (farad per metre)
permeability (henry per metre)
molar energy (joule per mole)
molar entropy (joule per mole kelvin)
exposure (coulomb per kilogram)
absorbed dose rate (gray per second)
radiant intensity (watt per steradian)
radiance (watt per square metre steradian)
catalytic activity concentration (katal per cubic metre)
time (minute)
time (hour)
time (day)
plane angle (degree)
plane angle (minute)
plane angle (second)
area (hectare)
volume (litre)
mass (tonne)
pressure (bar)
pressure (millimetre of mercury)
length (ångström)
length (nautical mile)
area (barn)
velocity (knot)
logarithmic radio quantity (neper)
logarithmic radio quantity (bel)
length (yard)
length (parsec)
length (inch)
length (foot)
length (mile)
pressure (pound-force per square inch)
velocity (kilometre per hour)
velocity (mile per hour)
angular velocity (revolution per minute)
energy (gram calorie)
energy (kilogram calorie)
energy (kilowatt hour)
thermodynamic temperature (degree Fahrenheit)
percentage
per mille
period (beats per minute)
electric charge (ampere hours)
mass density (milligram per decilitre)
mass density (millimole per litre)
time (year)
time (month)
concentration (count per cubic metre)
irradiance (watt per square metre)
milliliter (per kilogram per minute)
mass (pound)
metabolic equivalent
step (per minute)
stroke (per minute)
pace (kilometre per minute)
luminous efficacy (lumen per watt)
luminous energy (lumen hour)
luminous exposure (lux hour)
mass flow (gram per second)
volume flow (litre per second)
sound pressure (decibel)
parts per million
parts per billion
mass density rate ((milligram per decilitre) per minute)
Electrical Apparent Energy (kilovolt ampere hour)
Electrical Apparent Power (volt ampere)
Gravity (gₙ)
Primary Service
Secondary Service
Include
Characteristic
Characteristic Extended Properties
Characteristic User Description
Client Characteristic Configuration
Server Characteristic Configuration
Characteristic Presentation Format
Characteristic Aggregate Format
Valid Range
External Report Reference
Report Reference
Number of Digitals
Value Trigger Setting
Environmental Sensing Configuration
Environmental Sensing Measurement
Environmental Sensing Trigger Setting
Time Trigger Setting
Complete BR-EDR Transport Block Data
Observation Schedule
Valid Range and Accuracy
Measurement Description
Manufacturer Limits
Process Tolerances
IMD Trigger Setting
Cooking Sensor Info
Cooking Trigger Setting
Device Name
Appearance
Peripheral Privacy Flag
Reconnection Address
Peripheral Preferred Connection Parameters
Service Changed
Alert Level
Tx Power Level
Date Time
Day of Week
Day Date Time
Exact Time 256
DST Offset
Time Zone
Local Time Information
Time with DST
Time Accuracy
Time Source
Reference Time Information
Time Update Control Point
Time Update State
Glucose Measurement
Battery Level
Temperature Measurement
Temperature Type
Intermediate Temperature
Measurement Interval
Boot Keyboard Input Report
System ID
Model Number String
Serial Number String
Firmware Revision String
Hardware Revision String
Software Revision String
Manufacturer Name String
IEEE 11073-20601 Regulatory Certification Data List
Current Time
Magnetic Declination
Scan Refresh
Boot Keyboard Output Report
Boot Mouse Input Report
Glucose Measurement Context
Blood Pressure Measurement
Intermediate Cuff Pressure
Heart Rate Measurement
Body Sensor Location
Heart Rate Control Point
Alert Status
Ringer Control Point
Ringer Setting
Alert Category ID Bit Mask
Alert Category ID
Alert Notification Control Point
Unread Alert Status
New Alert
Supported New Alert Category
Supported Unread Alert Category
Blood Pressure Feature
HID Information
Report Map
HID Control Point
Report
Protocol Mode
Scan Interval Window
PnP ID
Glucose Feature
Record Access Control Point
RSC Measurement
RSC Feature
SC Control Point
Aggregate
CSC Measurement
CSC Feature
Sensor Location
PLX Spot-Check Measurement
PLX Continuous Measurement
PLX Features
Cycling Power Measurement
Cycling Power Vector
Cycling Power Feature
Cycling Power Control Point
Location and Speed
Navigation
Position Quality
LN Feature
LN Control Point
Elevation
Pressure
Temperature
Humidity
True Wind Speed
True Wind Direction
Apparent Wind Speed
Apparent Wind Direction
Gust Factor
Pollen Concentration
UV Index
Irradiance
Rainfall
Wind Chill
Heat Index
Dew Point
Descriptor Value Changed
Aerobic Heart Rate Lower Limit
Aerobic Threshold
Age
Anaerobic Heart Rate Lower Limit
Anaerobic Heart Rate Upper Limit
Anaerobic Threshold
Aerobic Heart Rate Upper Limit
Date of Birth
Date of Threshold Assessment
Email Address
Fat Burn Heart Rate Lower Limit
Fat Burn Heart Rate Upper Limit
First Name
Five Zone Heart Rate Limits
Gender
Heart Rate Max
Height
Hip Circumference
Last Name
Maximum Recommended Heart Rate
Resting Heart Rate
Sport Type for Aerobic and Anaerobic Thresholds
Three Zone Heart Rate Limits
Two Zone Heart Rate Limits
VO2 Max
Waist Circumference
Weight
Database Change Increment
User Index
Body Composition Feature
Body Composition Measurement
Weight Measurement
Weight Scale Feature
User Control Point
Magnetic Flux Density - 2D
Magnetic Flux Density - 3D
Language
Barometric Pressure Trend
Bond Management Control Point
Bond Management Feature
Central Address Resolution
CGM Measurement
CGM Feature
CGM Status
CGM Session Start Time
CGM Session Run Time
CGM Specific Ops Control Point
Indoor Positioning Configuration
Latitude
Longitude
Local North Coordinate
Local East Coordinate
Floor Number
Altitude
Uncertainty
Location Name
URI
HTTP Headers
HTTP Status Code
HTTP Entity Body
HTTP Control Point
HTTPS Security
TDS Control Point
OTS Feature
Object Name
Object Type
Object Size
Object First-Created
Object Last-Modified
Object ID
Object Properties
Object Action Control Point
Object List Control Point
Object List Filter
Object Changed
Resolvable Private Address Only
Unspecified
Directory Listing
Fitness Machine Feature
Treadmill Data
Cross Trainer Data
Step Climber Data
Stair Climber Data
Rower Data
Indoor Bike Data
Training Status
Supported Speed Range
Supported Inclination Range
Supported Resistance Level Range
Supported Heart Rate Range
Supported Power Range
Fitness Machine Control Point
Fitness Machine Status
Mesh Provisioning Data In
Mesh Provisioning Data Out
Mesh Proxy Data In
Mesh Proxy Data Out
Average Current
Average Voltage
Boolean
Chromatic Distance from Planckian
Chromaticity Coordinates
Chromaticity in CCT and Duv Values
Chromaticity Tolerance
CIE 13.3-1995 Color Rendering Index
Coefficient
Correlated Color Temperature
Count 16
Count 24
Country Code
Date UTC
Electric Current
Electric Current Range
Electric Current Specification
Electric Current Statistics
Energy
Energy in a Period of Day
Event Statistics
Fixed String 16
Fixed String 24
Fixed String 36
Fixed String 8
Generic Level
Global Trade Item Number
Illuminance
Luminous Efficacy
Luminous Energy
Luminous Exposure
Luminous Flux
Luminous Flux Range
Luminous Intensity
Mass Flow
Perceived Lightness
Percentage 8
Power
Power Specification
Relative Runtime in a Current Range
Relative Runtime in a Generic Level Range
Relative Value in a Voltage Range
Relative Value in an Illuminance Range
Relative Value in a Period of Day
Relative Value in a Temperature Range
Temperature 8
Temperature 8 in a Period of Day
Temperature 8 Statistics
Temperature Range
Temperature Statistics
Time Decihour 8
Time Exponential 8
Time Hour 24
Time Millisecond 24
Time Second 16
Time Second 8
Voltage
Voltage Specification
Voltage Statistics
Volume Flow
Chromaticity Coordinate
RC Feature
RC Settings
Reconnection Configuration Control Point
IDD Status Changed
IDD Status
IDD Annunciation Status
IDD Features
IDD Status Reader Control Point
IDD Command Control Point
IDD Command Data
IDD Record Access Control Point
IDD History Data
Client Supported Features
Database Hash
BSS Control Point
BSS Response
Emergency ID
Emergency Text
ACS Status
ACS Data In
ACS Data Out Notify
ACS Data Out Indicate
ACS Control Point
Enhanced Blood Pressure Measurement
Enhanced Intermediate Cuff Pressure
Blood Pressure Record
Registered User
BR-EDR Handover Data
Bluetooth SIG Data
Server Supported Features
Physical Activity Monitor Features
General Activity Instantaneous Data
General Activity Summary Data
CardioRespiratory Activity Instantaneous Data
CardioRespiratory Activity Summary Data
Step Counter Activity Summary Data
Sleep Activity Instantaneous Data
Sleep Activity Summary Data
Physical Activity Monitor Control Point
Physical Activity Current Session
Physical Activity Session Descriptor
Preferred Units
High Resolution Height
Middle Name
Stride Length
Handedness
Device Wearing Position
Four Zone Heart Rate Limits
High Intensity Exercise Threshold
Activity Goal
Sedentary Interval Notification
Caloric Intake
TMAP Role
Audio Input State
Gain Settings Attribute
Audio Input Type
Audio Input Status
Audio Input Control Point
Audio Input Description
Volume State
Volume Control Point
Volume Flags
Volume Offset State
Audio Location
Volume Offset Control Point
Audio Output Description
Set Identity Resolving Key
Coordinated Set Size
Set Member Lock
Set Member Rank
Encrypted Data Key Material
Apparent Energy 32
Apparent Power
Live Health Observations
CO₂ Concentration
Cosine of the Angle
Device Time Feature
Device Time Parameters
Device Time
Device Time Control Point
Time Change Log Data
Media Player Name
Media Player Icon Object ID
Media Player Icon URL
Track Changed
Track Title
Track Duration
Track Position
Playback Speed
Seeking Speed
Current Track Segments Object ID
Current Track Object ID
Next Track Object ID
Parent Group Object ID
Current Group Object ID
Playing Order
Playing Orders Supported
Media State
Media Control Point
Media Control Point Opcodes Supported
Search Results Object ID
Search Control Point
Energy 32
Media Player Icon
Track Segment
Track
Group
Constant Tone Extension Enable
Advertising Constant Tone Extension Minimum Length
Advertising Constant Tone Extension Minimum Transmit Count
Advertising Constant Tone Extension Transmit Duration
Advertising Constant Tone Extension Interval
Advertising Constant Tone Extension PHY
Bearer Provider Name
Bearer UCI
Bearer Technology
Bearer URI Schemes Supported List
Bearer Signal Strength
Bearer Signal Strength Reporting Interval
Bearer List Current Calls
Content Control ID
Status Flags
Incoming Call Target Bearer URI
Call State
Call Control Point
Call Control Point Optional Opcodes
Termination Reason
Incoming Call
Call Friendly Name
Mute
Sink ASE
Source ASE
ASE Control Point
Broadcast Audio Scan Control Point
Broadcast Receive State
Sink PAC
Sink Audio Locations
Source PAC
Source Audio Locations
Available Audio Contexts
Supported Audio Contexts
Ammonia Concentration
Carbon Monoxide Concentration
Methane Concentration
Nitrogen Dioxide Concentration
Non-Methane Volatile Organic Compounds Concentration
Ozone Concentration
Particulate Matter - PM1 Concentration
Particulate Matter - PM2.5 Concentration
Particulate Matter - PM10 Concentration
Sulfur Dioxide Concentration
Sulfur Hexafluoride Concentration
Hearing Aid Features
Hearing Aid Preset Control Point
Active Preset Index
Stored Health Observations
Fixed String 64
High Temperature
High Voltage
Light Distribution
Light Output
Light Source Type
Noise
Relative Runtime in a Correlated Color Temperature Range
Time Second 32
VOC Concentration
Voltage Frequency
Battery Critical Status
Battery Health Status
Battery Health Information
Battery Information
Battery Level Status
Battery Time Status
Estimated Service Date
Battery Energy Status
Observation Schedule Changed
Elapsed Time
Health Sensor Features
GHS Control Point
LE GATT Security Levels
ESL Address
AP Sync Key Material
ESL Response Key Material
ESL Current Absolute Time
ESL Display Information
ESL Image Information
ESL Sensor Information
ESL LED Information
ESL Control Point
UDI for Medical Devices
GMAP Role
UGG Features
UGT Features
BGS Features
BGR Features
Percentage 8 Steps
Acceleration
Force
Linear Position
Rotational Speed
Length
Torque
IMD Status
IMDS Descriptor Value Changed
First Use Date
Life Cycle Data
Work Cycle Data
Service Cycle Data
IMD Control
IMD Historical Data
RAS Features
Real-time Ranging Data
On-demand Ranging Data
RAS Control Point
Ranging Data Ready
Ranging Data Overwritten
Coordinated Set Name
Humidity 8
Illuminance 16
Acceleration - 3D
Precise Acceleration - 3D
Acceleration Detection Status
Door/Window Status
Pushbutton Status 8
Contact Status 8
HID ISO Properties
LE HID Operation Mode
Cookware Description
Recipe Control
Recipe Parameters
Cooking Step Status
Cooking Zone Capabilities
Cooking Zone Desired Cooking Conditions
Cooking Zone Actual Cooking Conditions
Cookware Sensor Data
Cookware Sensor Aggregate
Cooking Temperature
Cooking Zone Perceived Power
Kitchen Appliance Airflow
Voice Assistant Name
Voice Assistant UUID
Voice Assistant Service Control Point
Installed Location
Voice Assistant Session State
Voice Assistant Session Flag
Voice Assistant Supported Languages
Voice Assistant Supported Features
Harman International
C.O.B.O. SpA
BONX INC.
Eforthink Technology Co., Ltd.
Reelables, Inc.
Google LLC
Milwaukee Electric Tools
Yoto Limited
Atmosic Technologies, Inc.
Block, Inc.
Mitsubishi Electric Corporation
Xiaomi
Shanghai Ingeek Technology Co., Ltd.
Michelin
Golioth, Inc.
Shenzhen Shokz Co.,Ltd.
WinMagic Inc.
HP Inc.
Lodestar Technology Inc.
Lodestar Technology Inc.
WaveRF, Corp.
Ant Group Co., Ltd.
Ant Group Co., Ltd.
LG Electronics Inc.
LEGIC Identsystems AG
Shenzhen Yinwang Intelligent Technologies Co., Ltd.
BYD Company Limited
Google LLC
Ambient Life Inc.
Shenzhen Minew Technologies Co., Ltd.
Ant Group Co., Ltd.
LAST LOCK INC.
Time Location Systems AS
PLASTIC RESEARCH AND DEVELOPMENT CORPORATION
GP Acoustics International Limited
KUBU SMART LIMITED
PI-CRYSTAL INC.
Ohme Operations UK Limited
QIKCONNEX LLC
SPRiNTUS GmbH
Volvo Technology AB
Volvo Technology AB
Robor Electronics B.V.
Xiaomi Inc.
Guangdong Hengqin Xingtong Technology Co.,ltd.
RIGH, INC.
Harman International
Sonos Inc
Sonos Inc
Powerstick.com
MOTIVE TECHNOLOGIES, INC.
stryker
NextSense, Inc.
MOTIVE TECHNOLOGIES, INC.
Hive-Zox International SA
iodyne, LLC
Google LLC
EMBEINT INC
Xiaomi Inc.
Weber-Stephen Products LLC
SING SUN TECHNOLOGY (INTERNATIONAL) LIMITED
DHL
LG Electronics Inc.
Outshiny India Private Limited
Testo SE & Co. KGaA
Motorola Mobility, LLC
MML US, Inc
Harman International
Southco
TELE System Communications Pte. Ltd.
Axon Enterprise, Inc.
Zwift, Inc.
iHealth Labs, Inc.
NINGBO FOTILE KITCHENWARE CO., LTD.
Zhejiang Huanfu Technology Co., LTD
Samsara Networks, Inc
Samsara Networks, Inc
CCC del Uruguay
Intel Corporation
Intel Corporation
Kaspersky Lab Middle East FZ-LLC
VusionGroup
Caire Inc.
Blue Iris Labs, Inc.
Bose Corporation
Wiliot LTD.
Samsung Electronics Co., Ltd.
Furuno Electric Co., Ltd.
Komatsu Ltd.
Apple Inc.
Hippo Camp Software Ltd.
LEGO System A/S
Japan Display Inc.
Ruuvi Innovations Ltd.
Badger Meter
Koppli AB
Merry Electronics (S) Pte Ltd
Lenovo (Singapore) Pte Ltd.
Dell Computer Corporation
Delta Development Team, Inc
Apple Inc.
PF SCHWEISSTECHNOLOGIE GMBH
Meizu Technology Co., Ltd.
Gunnebo Aktiebolag
HP Inc.
HAYWARD INDUSTRIES, INC.
Hubble Network Inc.
Hubble Network Inc.
Medtronic Inc.
Medtronic Inc.
Spintly, Inc.
IRISS INC.
IRISS INC.
Beijing 99help Safety Technology Co., Ltd
Imagine Marketing Limited
AltoBeam Inc.
Ford Motor Company
Google LLC
Apple Inc.
SWEEN
OMRON HEALTHCARE Co., Ltd.
OMRON HEALTHCARE Co., Ltd.
OMRON HEALTHCARE Co., Ltd.
T-Mobile USA
Ribbiot, INC.
Lumi United Technology Co., Ltd
BlueID GmbH
SharkNinja Operating LLC
Drowsy Digital, Inc.
Toshiba Corporation
Musen Connect, Inc.
ASSA ABLOY Opening Solutions Sweden AB
Xiaomi Inc.
TIMECODE SYSTEMS LIMITED
Qualcomm Technologies, Inc.
HP Inc.
OMRON(DALIAN) CO,.LTD.
OMRON(DALIAN) CO,.LTD.
Wiliot LTD.
PB INC.
Allthenticate, Inc.
SkyHawke Technologies
Cosmed s.r.l.
TOTO LTD.
Wi-Fi Easy Connect Specification
Marshall Group AB
Luna Health, Inc.
Google LLC
Laerdal Medical AS
Shenzhen Benwei Media Co.,Ltd.
Allterco Robotics ltd
Fisher & Paykel Healthcare
OMRON HEALTHCARE
Nortek Security & Control
SWISSINNO SOLUTIONS AG
PowerPal Pty Ltd
Appex Factory S.L.
Huso, INC
Draeger
aconno GmbH
Amazon.com Services, LLC
Mobilaris AB
ARCTOP, INC.
NIO USA, Inc.
Akciju sabiedriba "SAF TEHNIKA"
Sony Group Corporation
Baracoda Daily Healthtech
Smith & Nephew Medical Limited
Samsara Networks, Inc
Samsara Networks, Inc
Guard RFID Solutions Inc.
TKH Security B.V.
ITT Industries
MindRhythm, Inc.
Chess Wise B.V.
Avi-On
Griffwerk GmbH
Workaround Gmbh
Velentium, LLC
Divesoft s.r.o.
Security Enhancement Systems, LLC
Google LLC
Bitwards Oy
Armatura LLC
Allegion
Trident Communication Technology, LLC
The Linux Foundation
Honor Device Co., Ltd.
Honor Device Co., Ltd.
Leupold & Stevens, Inc.
Leupold & Stevens, Inc.
Shenzhen Benwei Media Co., Ltd.
Barrot Technology Co.,Ltd.
Barrot Technology Co.,Ltd.
Sonova Consumer Hearing GmbH
701x
FUTEK Advanced Sensor Technology, Inc.
Sanvita Medical Corporation
LEGO System A/S
Quuppa Oy
Shure Inc.
Qualcomm Technologies, Inc.
RACE-AI LLC
Swedlock AB
Bull Group Incorporated Company
Cousins and Sears LLC
Luminostics, Inc.
Luminostics, Inc.
OSM HK Limited
Blecon Ltd
HerdDogg, Inc
AEON MOTOR CO.,LTD.
AEON MOTOR CO.,LTD.
AEON MOTOR CO.,LTD.
AEON MOTOR CO.,LTD.
BRG Sports, Inc.
BRG Sports, Inc.
Panasonic Corporation
Sensitech, Inc.
LEGIC Identsystems AG
LEGIC Identsystems AG
Smith & Nephew Medical Limited
CSIRO
Helios Sports, Inc.
Brady Worldwide Inc.
Samsung Electronics Co., Ltd
Plume Design Inc.
3M
GN Hearing A/S
Huawei Technologies Co., Ltd.
Huawei Technologies Co., Ltd.
DOM Sicherheitstechnik GmbH & Co. KG
GD Midea Air-Conditioning Equipment Co., Ltd.
GD Midea Air-Conditioning Equipment Co., Ltd.
Novo Nordisk A/S
Integrated Illumination Systems, Inc.
Julius Blum GmbH
Asahi Kasei Corporation
Sony Corporation
The Access Technologies
The Access Technologies
Xiaomi Inc.
Bitstrata Systems Inc.
Bitstrata Systems Inc.
Sesam Solutions BV
LG Electronics Inc.
Gemalto Holding BV
DashLogic, Inc.
Aerosens LLC.
Transsion Holdings Limited
Google LLC
TireCheck GmbH
Danfoss A/S
PREDIKTAS
Verkada Inc.
Verkada Inc.
Redline Communications Inc.
Woan Technology (Shenzhen) Co., Ltd.
Pure Watercraft, inc.
Cognosos, Inc
Beflex Inc.
Amazon Lab126
Globe (Jiangsu) Co.,Ltd
Apple Inc.
Apple Inc.
GB Solution co.,Ltd
Lemco IKE
Liberty Global Inc.
Geberit International AG
Panasonic Corporation
Sigma Elektro GmbH
Samsung Electronics Co., Ltd.
Adolf Wuerth GmbH & Co KG
70mai Co.,Ltd.
70mai Co.,Ltd.
SONITOR TECHNOLOGIES AS
Hangzhou Tuya Information Technology Co., Ltd
UTC Fire and Security
UTC Fire and Security
PCI Private Limited
Qingdao Haier Technology Co., Ltd.
Braveheart Wireless, Inc.
Resmed Ltd
Volvo Car Corporation
Volvo Car Corporation
Samsung Electronics Co., Ltd.
Samsung Electronics Co., Ltd.
V2SOFT INC.
React Mobile
maxon motor ltd.
Tapkey GmbH
Meta Platforms Technologies, LLC
Sercomm Corporation
Arendi AG
Google LLC
Google LLC
INRIA
Razer Inc.
Zebra Technologies Corporation
Montblanc Simplo GmbH
Ubique Innovation AG
Samsung Electronics Co., Ltd
Emerson
rapitag GmbH
Samsung Electronics Co., Ltd.
Sigma Elektro GmbH
Polidea sp. z o.o.
Apple, Inc.
GuangDong Oppo Mobile Telecommunications Corp., Ltd
GN Hearing A/S
Logitech International SA
BRControls Products BV
BRControls Products BV
Insulet Corporation
Insulet Corporation
Withings
Withings
Withings
Withings
WYZE LABS, INC.
Toshiba Information Systems(Japan) Corporation
Center for Advanced Research Wernher Von Braun
Samsung Electronics Co., Ltd.
Husqvarna AB
Phindex Technologies, Inc
CANDY HOUSE, Inc.
Sony Corporation
iNFORM Technology GmbH
Tile, Inc.
Husqvarna AB
Abbott
Google LLC
Urbanminded LTD
Urbanminded LTD
Signify Netherlands B.V.
Jigowatts Inc.
Google LLC
quip NYC Inc.
Motorola Solutions
Guangzhou SuperSound Information Technology Co.,Ltd
Groove X, Inc.
Qualcomm Technologies International, Ltd. (QTIL)
Bayerische Motoren Werke AG
Hewlett Packard Enterprise
Rigado
Google LLC
June Life, Inc.
Disney Worldwide Services, Inc.
ABB Oy
Huawei Technologies Co., Ltd.
Huawei Technologies Co., Ltd.
Huawei Technologies Co., Ltd.
Gastec Corporation
The Coca-Cola Company
VitalTech Affiliates LLC
Secugen Corporation
Groove X, Inc
Groove X, Inc
Inseego Corp.
Inseego Corp.
Neurostim OAB, Inc.
WWZN Information Technology Company Limited
WWZN Information Technology Company Limited
PSA Peugeot Citroën
Rhombus Systems, Inc.
Xiaomi Inc.
Xiaomi Inc.
Tentacle Sync GmbH
Houwa System Design, k.k.
Houwa System Design, k.k.
Wiliot LTD
Oura Health Ltd
Oura Health Ltd
Portable Multimedia Ltd
Audiodo AB
HP Inc
ECSG
GWA Hygiene GmbH
LivaNova USA Inc.
LivaNova USA Inc.
Profoto
Emerson
Clover Network, Inc.
California Things Inc.
California Things Inc.
Hunter Douglas
Hunter Douglas
Baidu Online Network Technology (Beijing) Co., Ltd
Baidu Online Network Technology (Beijing) Co., Ltd
Simavita (Aust) Pty Ltd
Automatic Labs
Eli Lilly and Company
Eli Lilly and Company
Hach – Danaher
Busch-Jaeger Elektro GmbH
Fortin Electronic Systems
Meggitt SA
Shoof Technologies
Qingping Technology (Beijing) Co., Ltd.
SENNHEISER electronic GmbH & Co. KG
Nalu Medical, Inc
Huawei Technologies Co., Ltd
Huawei Technologies Co., Ltd
Bose Corporation
FUBA Automotive Electronics GmbH
LX Solutions Pty Limited
Brompton Bicycle Ltd
Ministry of Supply
Copeland Cold Chain LP
Jiangsu Teranovo Tech Co., Ltd.
Jiangsu Teranovo Tech Co., Ltd.
MHCS
Samsung Electronics Co., Ltd.
4iiii Innovations Inc.
Arch Systems Inc
Noodle Technology Inc.
Harman International
John Deere
Fortin Electronic Systems
Google LLC
Abbott Diabetes Care
JUUL Labs, Inc.
SMK Corporation
Intelletto Technologies Inc
SECOM Co., LTD
Robert Bosch GmbH
Spacesaver Corporation
SeeScan, Inc
Syntronix Corporation
Mannkind Corporation
Pole Star
Huawei Technologies Co., Ltd.
ART AND PROGRAM, INC.
Google LLC
LAMPLIGHT Co.,Ltd
AMICCOM Electronics Corporation
Amersports
O. E. M. Controls, Inc.
Milwaukee Electric Tools
AIAIAI ApS
HP Inc.
Onvocal
INIA
Tandem Diabetes Care
Tandem Diabetes Care
Optrel AG
RecursiveSoft Inc.
ADHERIUM(NZ) LIMITED
OSRAM GmbH
Amazon.com Services, Inc.
Duracell U.S. Operations Inc.
Robert Bosch GmbH
Amazon.com Services, Inc.
Motorola Solutions, Inc.
CORE Transport Technologies NZ Limited
Qualcomm Technologies, Inc.
Sonos, Inc.
Microsoft
Pillsy, Inc.
ruwido austria gmbh
ruwido austria gmbh
Procter & Gamble
Procter & Gamble
Setec Pty Ltd
Signify Netherlands B.V. (formerly Philips Lighting B.V.)
LAPIS Technology Co., Ltd.
GMC-I Messtechnik GmbH
M-Way Solutions GmbH
Apple Inc.
Flextronics International USA Inc.
Amazon.com Services, Inc..
Footmarks, Inc.
Telit Wireless Solutions GmbH
Runtime, Inc.
Google LLC
Tyto Life LLC
Tyto Life LLC
NetMedia, Inc.
Illuminati Instrument Corporation
LAMPLIGHT Co., Ltd.
Garmin International, Inc.
Emerson
Bose Corporation
Zoll Medical Corporation
Zoll Medical Corporation
August Home Inc
Apple, Inc.
Google LLC
Google LLC
Ayla Networks
Gibson Innovations
DaisyWorks, Inc.
ITT Industries
Google LLC
LAMPLIGHT Co., Ltd.
ERi,Inc.
CRESCO Wireless, Inc
Volkswagen AG
Volkswagen AG
Pro-Mark, Inc.
CHIPOLO d.o.o.
SmallLoop LLC
HUAWEI Technologies Co., Ltd
HUAWEI Technologies Co., Ltd
TTS Tooltechnic Systems AG & Co. KG
TTS Tooltechnic Systems AG & Co. KG
Dolby Laboratories
alibaba
BD Medical
BD Medical
Friday Labs Limited
Inugo Systems Limited
Inugo Systems Limited
Nets A/S
Andreas Stihl AG & Co. KG
SK Telecom
Snapchat Inc
B&O Play A/S
General Motors
General Motors
SenionLab AB
OMRON HEALTHCARE Co., Ltd.
Signify Netherlands B.V. (formerly Philips Lighting B.V.)
Volkswagen AG
Casambi Technologies Oy
NTT docomo
Molekule, Inc.
Google LLC
SRAM
SetPoint Medical
3M
Motiv, Inc.
Google LLC
Google LLC
Dotted Labs
Nordic Semiconductor ASA
Nordic Semiconductor ASA
Cronologics Corporation
GT-tronics HK Ltd
million hunters GmbH
Grundfos A/S
Plastc Corporation
Eyefi, Inc.
Lierda Science & Technology Group Co., Ltd.
Logitech International SA
Indagem Tech LLC
Connected Yard, Inc.
Siemens AG
CHIPOLO d.o.o.
Intel Corporation
Lab Sensor Solutions
Capsle Technologies Inc.
Capsle Technologies Inc.
Kontakt Micro-Location Sp. z o.o.
TASER International, Inc.
TASER International, Inc.
The University of Tokyo
The University of Tokyo
LINE Corporation
Beijing Jingdong Century Trading Co., Ltd.
Plume Design Inc
Abbott (formerly St. Jude Medical, Inc.)
Abbott (formerly St. Jude Medical, Inc.)
unwire
TangoMe
TangoMe
Hewlett-Packard Company
Hewlett-Packard Company
Zebra Technologies
Bragi GmbH
Orion Labs, Inc.
Telit Wireless Solutions (Formerly Stollmann E+V GmbH)
Aterica Health Inc.
Awear Solutions Ltd
Doppler Lab
Doppler Lab
Medtronic Inc.
Medtronic Inc.
Blue Bite
RF Digital Corp
RF Digital Corp
HUAWEI Technologies Co., Ltd
Qingdao Yeelink Information Technology Co., Ltd. ( 青岛亿联客信息技术有限公司 )
SALTO SYSTEMS S.L.
B&O Play A/S
Apple, Inc.
Apple, Inc.
TRON Forum
Interaxon Inc.
ARM Ltd
CSR
JUMA
Shanghai Imilab Technology Co.,Ltd
Jarden Safety & Security
OttoQ In
OttoQ In
Xiaomi Inc.
Tesla Motors Inc.
Tesla Motors Inc.
Currant Inc
Currant Inc
Estimote
Samsara Networks, Inc
GSI Laboratories, Inc.
Mobiquity Networks Inc
Renesas Design Netherlands B.V.
Google LLC
Google LLC
ITT Industries
Paxton Access Ltd
GoPro, Inc.
GoPro, Inc.
UTC Fire and Security
Savant Systems LLC
Savant Systems LLC
Google LLC
Nokia
Nokia
Nokia
Nokia
Nest Labs Inc
Nest Labs Inc
Electronics Tomorrow Limited
Microsoft Corporation
Taobao
WiSilica Inc.
WiSilica Inc.
Vencer Co., Ltd
Meta Platforms, Inc.
Meta Platforms, Inc.
LG Electronics
Tencent Holdings Limited
adafruit industries
Dexcom Inc
Clover Network, Inc
Bose Corporation
Nod, Inc.
KDDI Corporation
KDDI Corporation
Blue Spark Technologies, Inc.
360fly, Inc.
PLUS Location Systems
Realtek Semiconductor Corp.
Kocomojo, LLC
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Apple, Inc.
Plantronics Inc.
Broadcom
Broadcom
Google LLC
Pebble Technology Corporation
ISSC Technologies Corp.
Perka, Inc.
Jawbone
Jawbone
Coin, Inc.
Anhui Huami Information Technology Co., Ltd.
Anhui Huami Information Technology Co., Ltd.
Anki, Inc.
Anki, Inc.
Nordic Semiconductor ASA
Nordic Semiconductor ASA
Silvair, Inc.
Tencent Holdings Limited.
Quintic Corp.
Quintic Corp.
Swirl Networks, Inc.
Swirl Networks, Inc.
Tile, Inc.
Tile, Inc.
Polar Electro Oy
Polar Electro Oy
Intel
CSR
CSR
Google LLC
Google LLC
Dialog Semiconductor GmbH
Wicentric, Inc.
Aplix Corporation
Aplix Corporation
PayPal, Inc.
PayPal, Inc.
Telit Wireless Solutions (Formerly Stollmann E+V GmbH)
Gimbal, Inc.
Gimbal, Inc.
GN Hearing A/S
GN Netcom
Wi-Fi Direct Specification
Public Key Open Credential (PKOC)
ICCE Digital Key
Aliro
FiRa Consortium
FiRa Consortium
Car Connectivity Consortium, LLC
Matter Profile ID
Zigbee Direct
Mopria Alliance BLE
FIDO2 secure client-to-authenticator transport
ASTM Remote ID
Direct Thread Commissioning
Wireless Power Transfer (WPT)
Universal Second Factor Authenticator
Wireless Power Transfer

"""##
