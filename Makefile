# One target a verb; `make` lists them.

# Optimised across modules: small functions of the lower modules are inlined into the upper ones, which makes the program
# a third faster. CONTRIBUTING.md compares the ways to link.
# Swift's static libraries export all their symbols; without that, unused code is removed before it is optimised. Packed
# relocations make the program 1.5 MB smaller and each start 0.5 ms faster; glibc reads them since 2.36 (Debian 12).
RELEASE := -c release -debug-info-format none --scratch-path .build-release --product gattscope --static-swift-stdlib \
	--experimental-lto-mode=full -Xswiftc -use-ld=lld -Xlinker --lto-O3 -Xlinker --no-export-dynamic \
	-Xlinker -z -Xlinker pack-relative-relocs --omit-frame-pointers
PROGRAM := .build-release/release/gattscope
# What is built after every change, and what the unit tests run on: as optimised, with the same checks, but each module
# on its own, which takes a fraction of the time and memory. Debug information would double the objects and nothing reads it.
# Tests are found in the index, so it cannot be left out.
TESTED := -c release -debug-info-format none -Xswiftc -use-ld=lld -Xswiftc -enable-testing --omit-frame-pointers
# `swift test` would add -enable-testing once more and so compile everything again for the next `swift build`.
TEST := swift test $(TESTED) --disable-testable-imports
BUILT := .build/release/gattscope
# `make deb PROGRAM=FILE` packs a program that exists, and so do the other verbs that hand it out.
BUILD_PROGRAM := $(if $(filter command line,$(origin PROGRAM)),,release)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
HOURS ?= 8
# Scripts that hold all captures against something else, the longest first.
CHECKERS := check-redaction validate-json compare-with-tshark find-secrets
# What `make check` leaves out: all that runs the program over many captures, and sweeps of seconds each.
LONG := ^CommandTests ^GoldenTests EveryCaptureTests PlantingTests HostileInputTests NeedsTests CaptureTests/working
# Where bash, zsh and fish look for completions below share/.
COMPLETIONS := bash-completion/completions/gattscope zsh/site-functions/_gattscope \
	fish/vendor_completions.d/gattscope.fish
MAN := share/man/man1/gattscope.1
DOCUMENTS := share/doc/gattscope/
# Where Wireshark looks for programs that capture for it. A packaged one does not look below /usr/local.
EXTCAP ?= $(firstword $(wildcard $(if $(filter /usr /usr/local,$(PREFIX)),/usr/lib/*/wireshark/extcap /usr/lib/wireshark/extcap)) \
	$(PREFIX)/lib/wireshark/extcap)
# Where packages and archives go, of which version, and how old they say they are: as old as the commit, or as this file.
DIST ?= .build/dist
VERSION := $(shell sed -n 's/.*static let number = "\(.*\)"/\1/p' Sources/gattscope/Version.swift)
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y Makefile)
# Not exported: SwiftPM reads the manifest anew for every other environment.
DATED := SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH)

# Debian's own Python finds Debian's jsonschema, another one that stands first in PATH does not.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
BUMBLE := bumble==0.0.236
CYCLONEDX := cyclonedx-python-lib[json-validation]==11.12.0
FLEET := duckdb==2.0.1 pyspark==4.3.0

# Captures of other origin, tested as well where they are there.
MORE_CAPTURES ?= ../shared/captures

BUILD_PACKAGES := g++ libarchive-dev libarchive13 libbluetooth-dev libc6-dev git libpcap-dev libpcap0.8 libssl-dev libyaml-dev \
	zlib1g-dev
DEB_PACKAGES := binutils dpkg-dev gzip lintian python3-venv xz-utils
TEST_PACKAGES := $(BUILD_PACKAGES) $(DEB_PACKAGES) tshark jq python3 python3-jsonschema debootstrap fish libarchive-tools man-db zsh zstd
LIVE_PACKAGES := $(BUILD_PACKAGES) bluez bluez-test-tools busybox-static kmod qemu-system-x86 tcpdump tshark
FLEET_PACKAGES := $(BUILD_PACKAGES) openjdk-17-jre-headless procps python3 python3-venv
PAGE_PACKAGES := chromium chromium-driver python3-selenium
BENCH_PACKAGES := $(BUILD_PACKAGES) tshark bluez python3
PROFILES := $(sort $(wildcard Profiles/*/*.yaml))
SWIFT_FOLDERS := Package.swift $(wildcard Plugins Sources Tests Fuzz)
FUZZERS := FuzzExplain FuzzTrace FuzzRedact FuzzDiff FuzzConvert FuzzDissect FuzzPDU FuzzDecode FuzzProfile \
	FuzzSupplied FuzzCapture FuzzPcap FuzzPcapng FuzzPacketLogger FuzzLive FuzzArchive
# Of two -sanitize options the compiler takes the last one alone and would leave out the fuzzer's counters without a word;
# -Xswiftc hands it both in one, and the first two remain for SwiftPM, which links by them. It has them in a set, whose order
# changes from run to run unless hashing is deterministic: everything would be compiled again for every second fuzzer.
FUZZ_BUILD := ENABLE_FUZZING=1 SWIFT_DETERMINISTIC_HASHING=1 swift build --sanitize=fuzzer --sanitize=address -Xswiftc -sanitize=fuzzer,address \
	-c release --scratch-path .build-fuzz

# Runs the program below the command that does the same.
comma := ,
demonstrate = printf '\n$$ gattscope %s\n' '$(1)' && $(BUILT) $(1)

.DEFAULT_GOAL := help
.PHONY: $(CHECKERS) units-of-scripts units-of-damage tests-of-neighbours help demo build release check test test-all test-debug test-scripts test-release test-sanitize test-live test-fleet test-page picture bench fuzz fuzz-long fuzz-corpus golden lint format profiles man captures install uninstall deb dist packages

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 14

demo: ## build the program and show what it says of sample captures
	@Scripts/install-packages.sh $(BUILD_PACKAGES)
	@$(MAKE) --no-print-directory build
	@$(call demonstrate,show captures/heart-rate.btsnoop --uuid 2a37$(comma)2a38$(comma)2a39 --packets 102-163)
	@$(call demonstrate,values captures/heart-rate.btsnoop)
	@$(call demonstrate,show captures/write-refused.btsnoop --layer att --packets 78-)
	@$(call demonstrate,show captures/wristband.btsnoop --uuid fff6$(comma)fff7 --packets 89-103)

# SwiftPM copies these texts into sources when it plans the build, and it plans anew when the manifest is newer.
Package.swift: docs/schema.json $(PROFILES) $(wildcard Sources/Reports/Page/page.*)
	@touch $@

build: Package.swift ## build the program, quickly: .build/release/gattscope
	swift build $(TESTED) --product gattscope

release: ## build the program that is handed out, optimised as a whole: .build-release/release/gattscope
	swift build $(RELEASE)

check: lint ## after every change: lint, build, unit tests without the long sweeps
	$(TEST) $(addprefix --skip ,$(LONG))

test: packages lint ## everything that one optimised build shows: unit, golden, command and script tests, tshark
	$(TEST)
	@$(MAKE) --no-print-directory test-scripts

# Side by side, since each keeps little more than one core busy; but never two that fill .venv.
test-all: packages ## also the program that is handed out, a virtual machine, a browser, a fleet, and each fuzzer
	@$(MAKE) --no-print-directory -j2 test release
	@$(MAKE) --no-print-directory -j2 test-release tests-of-neighbours
	@$(MAKE) --no-print-directory test-fleet
	$(if $(filter 0,$(FUZZ_SECONDS)),,@$(MAKE) --no-print-directory fuzz)

test-debug: ## the unit tests on a build that is not optimised
	swift test

# A sanitizer multiplies memory, so what measures the program's own is left to the other tests.
SANITIZED := -c release -Xswiftc -use-ld=lld
MEASURES_MEMORY := Memory|Peak

test-sanitize: ## the unit and command tests under the address sanitizer, `live` under the thread sanitizer
	@Scripts/install-packages.sh $(TEST_PACKAGES)
	swift test $(SANITIZED) --sanitize=address --scratch-path .build-address --skip '$(MEASURES_MEMORY)'
	swift build $(SANITIZED) --sanitize=thread --scratch-path .build-thread --product gattscope
	cd Scripts && GATTSCOPE=$(abspath .build-thread/release/gattscope) $(PYTHON) -m unittest test_live test_live_edges test_threads

# Two at a time: each is a single process for most of its time.
test-scripts: build ## what is tested from outside: scripts' tests, tshark, the JSON schema, secrets
	@$(MAKE) --no-print-directory -j2 --output-sync=target units-of-scripts units-of-damage $(CHECKERS)

# Damaged captures take as long as half of the other tests.
units-of-scripts: UNITS := $(filter-out test_damage test_page,$(basename $(notdir $(wildcard Scripts/test_*.py))))
units-of-damage: UNITS := test_damage
units-of-scripts units-of-damage:
	GATTSCOPE=$(abspath $(BUILT)) PYTHONPATH=Scripts $(PYTHON) -m unittest $(UNITS)

$(CHECKERS):
	$(PYTHON) Scripts/$@.py $(BUILT) captures $(MORE_CAPTURES)

# What is optimised as a whole may trap where the tests' build does not; its size and what is linked in show nowhere else.
test-release: $(BUILD_PROGRAM) ## what only the program that is handed out can show: optimiser's traps, size, packages
	GATTSCOPE=$(abspath $(PROGRAM)) $(TEST) --filter GoldenTests
	cd Scripts && GATTSCOPE=$(abspath $(PROGRAM)) $(PYTHON) -m unittest test_release test_packaging test_threads

tests-of-neighbours:
	@$(MAKE) --no-print-directory test-live
	@$(MAKE) --no-print-directory test-page

test-live: ## `live` against a real kernel, in a virtual machine
	@Scripts/install-packages.sh $(LIVE_PACKAGES) || echo "not all packages of the virtual machine can be installed"
	@$(MAKE) --no-print-directory release
	$(PYTHON) Scripts/live-vm/run.py $(PROGRAM)

test-page: build ## the page that `report` writes, in Chromium
	@Scripts/install-packages.sh $(PAGE_PACKAGES) || echo "Chromium cannot be installed; its tests are skipped"
	cd Scripts && GATTSCOPE=$(abspath $(BUILT)) $(PYTHON) -m unittest test_page

picture: build ## the screenshot of a page that README.md shows: docs/report.png
	@Scripts/install-packages.sh $(PAGE_PACKAGES)
	$(PYTHON) Scripts/page-picture.py $(BUILT) docs/report.png

bench: ## speed and memory, side by side with tshark and btmon
	@Scripts/install-packages.sh $(BENCH_PACKAGES)
	@$(MAKE) --no-print-directory release
	$(PYTHON) Benchmarks/run.py $(PROGRAM)
	$(PYTHON) Benchmarks/live.py $(PROGRAM)
	$(PYTHON) Benchmarks/convert.py $(PROGRAM)
	$(PYTHON) Benchmarks/diff.py $(PROGRAM)

test-fleet: build ## the tables of `table` in DuckDB and in a Spark cluster on this machine
	@Scripts/install-packages.sh $(FLEET_PACKAGES) || echo "not all packages of the fleet's tests can be installed"
	@$(MAKE) --no-print-directory .venv/bin/fleet-made || echo "DuckDB and PySpark cannot be installed: their tests are skipped"
	@python=.venv/bin/python; [ -x $$python ] || python=$(PYTHON); \
		GATTSCOPE=$(abspath $(BUILT)) $$python fleet/test_fleet.py -v

# Two packages, so that the rule for one library does not fit.
.venv/bin/fleet-made: Makefile
	@Scripts/install-packages.sh python3 python3-venv
	$(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet $(FLEET)
	@touch $@

fuzz: ## run each fuzzer for FUZZ_SECONDS (60)
	@Scripts/install-packages.sh $(BUILD_PACKAGES)
	@for fuzzer in $(FUZZERS); do $(FUZZ_BUILD) --product $$fuzzer || exit 1; done
	@MORE_CAPTURES="$(MORE_CAPTURES)" Scripts/fuzz.sh $(FUZZ_SECONDS) $(addprefix .build-fuzz/release/,$(FUZZERS))

fuzz-long: ## run all fuzzers in turns for HOURS (8); the table is .build-fuzz/fuzz-long.md
	@Scripts/install-packages.sh $(BUILD_PACKAGES)
	@for fuzzer in $(FUZZERS); do $(FUZZ_BUILD) --product $$fuzzer || exit 1; done
	@MORE_CAPTURES="$(MORE_CAPTURES)" $(PYTHON) Scripts/fuzz-long.py $(HOURS) .build-fuzz/fuzz-long.md \
		$(addprefix .build-fuzz/release/,$(FUZZERS))

fuzz-corpus: ## make Fuzz/Corpus anew, which the fuzzers begin with
	$(PYTHON) Scripts/make-fuzz-corpus.py Fuzz/Corpus

golden: ## write the expected output of the golden tests and of the documents anew, for reading before it is committed
	@RECORD_SNAPSHOTS=1 $(TEST) --filter GoldenTests >/dev/null 2>&1 || true
	$(BUILT) explain --list-rules --markdown >docs/rules.md
	GATTSCOPE=$(BUILT) $(PYTHON) Scripts/update-docs.py
	$(PYTHON) Scripts/make-picture.py $(BUILT)
	@git status --short Tests/GoldenTests README.md docs
	$(TEST) --filter GoldenTests

lint: ## style of the Swift code, syntax of the scripts
	swift format lint --strict -r $(SWIFT_FOLDERS)
	$(PYTHON) Scripts/lint-scripts.py
	$(PYTHON) Scripts/lint-sums.py
	$(PYTHON) Scripts/lint-english.py

format: ## put the Swift code into shape
	swift format -i -r $(SWIFT_FOLDERS)

# Written beside it and moved, since the program that writes the file is built from it.
profiles: build ## compile Profiles/ into the tables that decoding reads
	$(BUILT) profiles check $(PROFILES)
	$(BUILT) profiles compile $(PROFILES) > .build/profiles-tables
	mv .build/profiles-tables Sources/Decoders/Generated/BuiltInProfiles+Tables.swift

man: $(BUILD_PROGRAM) ## write the manual page, .build/man/gattscope.1
	install -d .build/man
	$(DATED) $(PYTHON) Scripts/make-man.py "$(PROGRAM)" > .build/man/gattscope.1

captures: .venv/bin/bumble-made ## remake the sample captures
	.venv/bin/python Scripts/make-captures.py captures

# Each stamp is named after the pinned library that the virtual environment holds.
.venv/bin/bumble-made: LIBRARY := $(BUMBLE)
.venv/bin/cyclonedx-made: LIBRARY := $(CYCLONEDX)
.venv/bin/%-made: Makefile
	@Scripts/install-packages.sh python3 python3-venv
	$(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet "$(LIBRARY)"
	@touch $@

.PRECIOUS: .venv/bin/%-made

# It never builds: nothing is compiled or downloaded as root. Symbols, a third of the program, are stripped.
install: ## install what `make release` built (or PROGRAM=FILE): program, manual page, completions and documents below PREFIX (/usr/local), and the extcap where Wireshark looks (EXTCAP), for DESTDIR
	@[ -x "$(PROGRAM)" ] || { echo "there is no $(PROGRAM) to install; run make release first, not as root" >&2; exit 1; }
	install -d $(addprefix "$(DESTDIR)$(PREFIX)"/,bin $(dir $(MAN) $(DOCUMENTS)) $(addprefix share/,$(dir $(COMPLETIONS))))
	install -s -m 755 "$(PROGRAM)" "$(DESTDIR)$(PREFIX)/bin/gattscope"
	$(DATED) $(PYTHON) Scripts/make-man.py "$(PROGRAM)" > "$(DESTDIR)$(PREFIX)/$(MAN)"
	"$(PROGRAM)" completion bash > "$(DESTDIR)$(PREFIX)/share/$(word 1,$(COMPLETIONS))"
	"$(PROGRAM)" completion zsh > "$(DESTDIR)$(PREFIX)/share/$(word 2,$(COMPLETIONS))"
	"$(PROGRAM)" completion fish > "$(DESTDIR)$(PREFIX)/share/$(word 3,$(COMPLETIONS))"
	install -d "$(DESTDIR)$(EXTCAP)"
	install -m 755 Wireshark/gattscope "$(DESTDIR)$(EXTCAP)/gattscope"
	install -m 644 README.md CONTRIBUTING.md SECURITY.md LICENSE "$(DESTDIR)$(PREFIX)/$(DOCUMENTS)"
	sed -i 's|(Scripts/packaging/copyright)|(COPYRIGHT)|' "$(DESTDIR)$(PREFIX)/$(DOCUMENTS)README.md"
	install -m 644 Scripts/packaging/copyright "$(DESTDIR)$(PREFIX)/$(DOCUMENTS)COPYRIGHT"
	install -d "$(DESTDIR)$(PREFIX)/$(DOCUMENTS)docs" "$(DESTDIR)$(PREFIX)/$(DOCUMENTS)captures" "$(DESTDIR)$(PREFIX)/$(DOCUMENTS)fleet"
	install -m 644 fleet/load.sql fleet/questions.sql fleet/gattscope_fleet.py "$(DESTDIR)$(PREFIX)/$(DOCUMENTS)fleet"
	install -m 644 $(wildcard docs/*) "$(DESTDIR)$(PREFIX)/$(DOCUMENTS)docs"
	install -m 644 $(wildcard captures/*) "$(DESTDIR)$(PREFIX)/$(DOCUMENTS)captures"
	install -d "$(DESTDIR)$(PREFIX)/$(DOCUMENTS)Benchmarks" $(addprefix "$(DESTDIR)$(PREFIX)/$(DOCUMENTS)",$(sort $(dir $(PROFILES))))
	install -m 644 Benchmarks/README.md "$(DESTDIR)$(PREFIX)/$(DOCUMENTS)Benchmarks"
	for file in $(PROFILES); do install -m 644 "$$file" "$(DESTDIR)$(PREFIX)/$(DOCUMENTS)$$file" || exit 1; done

# Before Wireshark was installed, the extcap went elsewhere.
uninstall: ## remove what install has put below PREFIX, and the extcap
	rm -rf "$(DESTDIR)$(PREFIX)/$(DOCUMENTS)"
	rm -f "$(DESTDIR)$(EXTCAP)/gattscope" "$(DESTDIR)$(PREFIX)/lib/wireshark/extcap/gattscope"
	rm -f "$(DESTDIR)$(PREFIX)/bin/gattscope" "$(DESTDIR)$(PREFIX)/$(MAN)" \
		$(addprefix "$(DESTDIR)$(PREFIX)"/share/,$(COMPLETIONS))

# Writes the bill of materials of the program in a tree: $(call describe,TREE,PREFIX)
describe = $(DATED) .venv/bin/python Scripts/make-sbom.py $(1)$(2)/bin/gattscope > $(1)$(2)/$(DOCUMENTS)gattscope.cdx.json

# Each run fills an empty tree, so that nothing of an older one is packed.
deb: $(BUILD_PROGRAM) .venv/bin/cyclonedx-made ## make a Debian package with its bill of materials, in DIST (.build/dist)
	@Scripts/install-packages.sh $(DEB_PACKAGES)
	rm -rf .build/deb
	@$(MAKE) --no-print-directory install PROGRAM="$(PROGRAM)" PREFIX=/usr EXTCAP=/usr/lib/wireshark/extcap DESTDIR=.build/deb >/dev/null
	$(call describe,.build/deb,/usr)
	$(DATED) Scripts/make-deb.sh .build/deb "$(DIST)"

dist: $(BUILD_PROGRAM) .venv/bin/cyclonedx-made ## make an archive for Debian 12 and newer, with its checksum, in DIST (.build/dist)
	rm -rf .build/dist-tree
	@$(MAKE) --no-print-directory install PROGRAM="$(PROGRAM)" PREFIX= EXTCAP=/lib/wireshark/extcap DESTDIR=.build/dist-tree >/dev/null
	$(call describe,.build/dist-tree,)
	$(DATED) Scripts/make-dist.sh .build/dist-tree "$(DIST)" "$(VERSION)"

packages: ## install the Debian packages that the tests need
	@Scripts/install-packages.sh $(TEST_PACKAGES)
