# One target per verb; `make` lists them.

# Generic types are made by calling their accessors. The compiler's default parses their mangled names at run time and
# searches all protocol conformances of the process for each: a fifth of the instructions of a start.
ACCESSORS := -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
# The release is optimised across modules: inlining small functions of the lower modules into the upper ones makes the
# program a third faster. CONTRIBUTING.md compares the ways to link.
# Swift's static libraries export all their symbols, which would keep unused code until after optimisation. Packed
# relocations make the program 1.5 MB smaller and each start 0.5 ms faster; glibc reads them since 2.36 (Debian 12).
# Without SwiftPM's $ORIGIN and with all functions bound at the start, no library beside the program is loaded, and no
# pointer to a library's function can be overwritten later; Scripts/check-linking.sh checks both.
# ArgumentParser is compiled with a small module of the name of FoundationEssentials instead of Swift's own, of which the
# linker would keep 5 MB; the compiler finds it first in the folder below. That is linked like every other module.
ESSENTIALS := .build-release/essentials/FoundationEssentials
RELEASE := -c release $(ACCESSORS) -debug-info-format none --scratch-path .build-release --product gattscope --static-swift-stdlib \
	--experimental-lto-mode=full -Xswiftc -use-ld=lld -Xlinker --lto-O3 -Xlinker --no-export-dynamic \
	-Xlinker -z -Xlinker pack-relative-relocs -Xlinker -z -Xlinker now --disable-local-rpath --omit-frame-pointers \
	-Xswiftc -I -Xswiftc "$(CURDIR)/$(dir $(ESSENTIALS))" -Xlinker "$(CURDIR)/$(ESSENTIALS).bc"
PROGRAM := .build-release/release/gattscope
# The build after every change, which the unit tests use: as optimised and with the same checks as the release (except for
# the tests, the command line and the readers of profiles, which are not optimised), but each module on its own, which
# takes a fraction of the time and memory. Debug information would double the object files, and nothing reads it. The
# index must stay: it is how tests are found.
TESTED := -c release $(ACCESSORS) -debug-info-format none -Xswiftc -use-ld=lld -Xswiftc -enable-testing --disable-local-rpath --omit-frame-pointers
# `swift test` would add -enable-testing a second time, so the next `swift build` would compile everything again.
TEST := swift test $(TESTED) --disable-testable-imports
BUILT := .build/release/gattscope
# `make deb PROGRAM=FILE` packs an existing program, and so do the other targets that distribute it.
BUILD_PROGRAM := $(if $(filter command line,$(origin PROGRAM)),,release)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
HOURS ?= 8
# "full" runs all of the long sweeps; otherwise every third of their runs or, of captures that are not the project's own,
# every fifth capture.
SWEEPS ?= sampled
# Scripts that check all captures, the longest first.
CHECKERS := check-redaction check-redaction-air validate-json compare-with-tshark find-secrets
FROM_OUTSIDE := units-of-scripts units-of-waiting units-of-damage $(CHECKERS)
# `make check` leaves these out: tests that run the program over many captures or wait, and sweeps that take seconds each.
LONG := InterruptionTests ^CommandTests ^GoldenTests EveryCaptureTests PlantingTests HostileInputTests NeedsTests CaptureTests/working
# Where bash, zsh and fish look for completions below share/.
COMPLETIONS := bash-completion/completions/gattscope zsh/site-functions/_gattscope \
	fish/vendor_completions.d/gattscope.fish
MAN := share/man/man1/gattscope.1
DOCUMENTS := share/doc/gattscope/
# Where Wireshark looks for extcap programs. A packaged Wireshark does not look below /usr/local.
EXTCAP ?= $(firstword $(wildcard $(if $(filter /usr /usr/local,$(PREFIX)),/usr/lib/*/wireshark/extcap /usr/lib/wireshark/extcap)) \
	$(PREFIX)/lib/wireshark/extcap)
# Folder, version and date of packages and archives. The date is that of the commit, or of this file.
DIST ?= .build/dist
# The OpenPGP key that signs them; without one they are not signed.
SIGN ?=
VERSION := $(shell sed -n 's/.*static let number = "\(.*\)"/\1/p' Sources/gattscope/Version.swift)
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y Makefile)
# Not exported: SwiftPM reads the manifest again whenever the environment changes.
DATED := SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH)

# Debian's Python finds Debian's jsonschema; another Python that comes first in PATH does not.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)

# More captures, which the tests also use if they exist.
MORE_CAPTURES ?= ../shared/captures

BUILD_PACKAGES := g++ libarchive-dev libarchive13 libbluetooth-dev libc6-dev git libpcap-dev libpcap0.8 libssl-dev libyaml-dev \
	zlib1g-dev
DEB_PACKAGES := binutils dpkg-dev gzip lintian python3-venv xz-utils
TEST_PACKAGES := $(BUILD_PACKAGES) $(DEB_PACKAGES) tshark jq python3 python3-fastjsonschema python3-jsonschema debian-archive-keyring debootstrap fish gnupg libarchive-tools man-db valgrind zsh zstd
LIVE_PACKAGES := $(BUILD_PACKAGES) bluez bluez-test-tools busybox-static kmod qemu-system-x86 tcpdump tshark
FLEET_PACKAGES := $(BUILD_PACKAGES) openjdk-17-jre-headless procps python3 python3-venv
PAGE_PACKAGES := chromium chromium-driver python3-selenium
BENCH_PACKAGES := $(BUILD_PACKAGES) tshark bluez python3
COST_PACKAGES := $(BUILD_PACKAGES) binutils python3 valgrind
PROFILES := $(sort $(wildcard Profiles/*/*.yaml))
SWIFT_FOLDERS := Package.swift $(wildcard Plugins Release Sources Tests Fuzz)
FUZZERS := FuzzExplain FuzzTrace FuzzRedact FuzzDiff FuzzConvert FuzzDissect FuzzPDU FuzzDecode FuzzProfile \
	FuzzSupplied FuzzCapture FuzzPcap FuzzPcapng FuzzPacketLogger FuzzLive FuzzArchive FuzzAir
# Of two -sanitize options the compiler honours only the last, and silently omits the fuzzer's counters. -Xswiftc
# therefore passes both in one option; the first two remain for SwiftPM, which needs them for linking. It keeps them in
# a set, whose order changes from run to run unless hashing is deterministic: otherwise every second fuzzer would
# compile everything again.
FUZZ_BUILD := ENABLE_FUZZING=1 SWIFT_DETERMINISTIC_HASHING=1 swift build --sanitize=fuzzer --sanitize=address -Xswiftc -sanitize=fuzzer,address \
	-c release --scratch-path .build-fuzz

# Prints a command, then what the program prints for it.
comma := ,
demonstrate = printf '\n$$ gattscope %s\n' '$(1)' && $(BUILT) $(1)

.DEFAULT_GOAL := help
.PHONY: $(FROM_OUTSIDE) check-units cost cost-record built-with-tests tests units packages-of-neighbours tests-of-neighbours help demo build release check test test-all test-debug test-scripts test-release test-sanitize test-live test-fleet test-page picture bench fuzz fuzz-long fuzz-corpus golden lint format profiles man captures requirements install uninstall deb dist packages

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 14

demo: ## build the program and show what it prints for sample captures
	@Scripts/install-packages.sh $(BUILD_PACKAGES)
	@$(MAKE) --no-print-directory build
	@$(call demonstrate,show captures/heart-rate.btsnoop --uuid 2a37$(comma)2a38$(comma)2a39 --packets 102-163)
	@$(call demonstrate,values captures/heart-rate.btsnoop)
	@$(call demonstrate,show captures/write-refused.btsnoop --layer att --packets 78-)
	@$(call demonstrate,show captures/wristband.btsnoop --uuid fff6$(comma)fff7 --packets 89-103)

# SwiftPM copies these texts into sources when it plans the build, and plans again if the manifest is newer.
Package.swift: docs/schema.json $(PROFILES) $(wildcard Sources/Reports/Page/page.*)
	@touch $@

build: Package.swift ## build the program, quickly: .build/release/gattscope
	swift build $(TESTED) --product gattscope

# ArgumentParser is compiled again if the module changes.
$(ESSENTIALS).bc: Release/FoundationEssentials.swift
	@mkdir -p $(@D)
	@rm -f .build-release/*/release/ArgumentParser.build/*.bc
	swiftc -O -wmo -swift-version 6 -parse-as-library -static -static-stdlib -gnone -lto=llvm-full $(patsubst -Xswiftc,,$(ACCESSORS)) \
		-module-name FoundationEssentials -emit-module -emit-module-path $(ESSENTIALS).swiftmodule -c -o $@ $<

release: Package.swift $(ESSENTIALS).bc ## build the program for distribution, optimised as a whole: .build-release/release/gattscope
	OPTIMISE_ALL=1 swift build $(RELEASE)

check: ## lint, build and run the unit tests without the long sweeps: after every change
	@$(MAKE) --no-print-directory -j2 check-units lint

check-units: Package.swift
	$(TEST) $(addprefix --skip ,$(LONG)) $(addprefix --filter ,$(FILTER))

# With full sweeps, the unit tests come first: the release is linked beside them.
test: packages ## run everything that needs one optimised build, long sweeps sampled: unit, golden, command and script tests, tshark
	@$(MAKE) --no-print-directory tests

tests:
	@$(MAKE) --no-print-directory -j2 built-with-tests lint
ifeq ($(SWEEPS),full)
	@$(MAKE) --no-print-directory units
	@$(MAKE) --no-print-directory -j3 --output-sync=target $(FROM_OUTSIDE)
else
	@$(MAKE) --no-print-directory -j4 --output-sync=target units $(FROM_OUTSIDE)
endif

# The same build as that of `swift test`.
built-with-tests: Package.swift
	swift build $(TESTED) --build-tests

# What failed is printed again at the end, since only the end of a long log is kept.
units:
	@{ $(TEST) --skip-build 2>&1; echo $$? > .build/units.status; } | tee .build/units.log; \
	test "$$(cat .build/units.status)" = 0 || { grep -A 4 'recorded an issue' .build/units.log; exit 1; }

# In parallel, since parts of each use one core only. Packages and .venv come before, since apt and pip run alone.
test-all: packages ## run `test` with full sweeps, and also the release program, a virtual machine, a browser, a fleet, costs, and each fuzzer
	@$(MAKE) --no-print-directory -j2 tests release SWEEPS=full
	@$(MAKE) --no-print-directory packages-of-neighbours
	@$(MAKE) --no-print-directory -j2 test-fleet tests-of-neighbours test-release
	$(if $(filter 0,$(FUZZ_SECONDS)),,@$(MAKE) --no-print-directory fuzz)

test-debug: ## run the unit tests unoptimised
	swift test

# A sanitizer multiplies memory use, so the tests that measure it are skipped here. Leaks are left to the fuzzers: a program
# that ends at once leaves objects behind, and the sanitizer cannot follow Swift's pointers with spare bits. Threads that only
# wait end with the program.
SANITIZED := -c release -debug-info-format none -Xswiftc -use-ld=lld
MEASURES_MEMORY := Memory|Peak

test-sanitize: ## run the unit and command tests under the address sanitizer, `live` under the thread sanitizer
	@Scripts/install-packages.sh $(TEST_PACKAGES)
	ASAN_OPTIONS=detect_leaks=0 swift test $(SANITIZED) --sanitize=address --scratch-path .build-address --skip '$(MEASURES_MEMORY)'
	swift build $(SANITIZED) --sanitize=thread --scratch-path .build-thread --product gattscope
	cd Scripts && TSAN_OPTIONS="report_thread_leaks=0:suppressions=$(abspath Scripts/thread-sanitizer-suppressions.txt)" \
		GATTSCOPE=$(abspath .build-thread/release/gattscope) $(PYTHON) -m unittest test_live test_live_edges

# Several at a time: each is a single process most of the time, and some tests wait.
test-scripts: build ## run the tests from outside: scripts' tests, tshark, the JSON schema, secrets
	@$(MAKE) --no-print-directory -j3 --output-sync=target $(FROM_OUTSIDE)

# Damaged captures take long, and some tests wait most of the time.
WAITING := test_live test_live_edges test_table test_pipes
units-of-scripts: UNITS := $(filter-out test_damage test_page $(WAITING),$(basename $(notdir $(wildcard Scripts/test_*.py))))
units-of-damage: UNITS := test_damage
units-of-waiting: UNITS := $(WAITING)
units-of-scripts units-of-waiting units-of-damage:
	SWEEPS=$(SWEEPS) GATTSCOPE=$(abspath $(BUILT)) PYTHONPATH=Scripts $(PYTHON) -m unittest $(UNITS)

$(CHECKERS):
	SWEEPS=$(SWEEPS) $(PYTHON) Scripts/$@.py $(BUILT) captures $(MORE_CAPTURES)

# The optimised program may trap although the tests' build does not, and only it shows its size and what is linked in.
test-release: $(BUILD_PROGRAM) ## run the tests that need the release program: traps, size, packages
	GATTSCOPE=$(abspath $(PROGRAM)) $(TEST) --filter GoldenTests
	cd Scripts && GATTSCOPE=$(abspath $(PROGRAM)) $(PYTHON) -m unittest test_release test_packaging

tests-of-neighbours:
	@$(MAKE) --no-print-directory test-live
	@$(MAKE) --no-print-directory test-page
	@$(MAKE) --no-print-directory cost

test-live: ## test `live` against a real kernel, in a virtual machine
	@Scripts/install-packages.sh $(LIVE_PACKAGES) || echo "not all packages of the virtual machine can be installed"
	@$(MAKE) --no-print-directory release
	$(PYTHON) Scripts/live-vm/run.py $(PROGRAM)

test-page: build ## test the page that `report` writes, in Chromium
	@Scripts/install-packages.sh $(PAGE_PACKAGES) || echo "Chromium cannot be installed; its tests are skipped"
	cd Scripts && GATTSCOPE=$(abspath $(BUILT)) $(PYTHON) -m unittest test_page

picture: build ## take the screenshot of a page for README.md: docs/report.png
	@Scripts/install-packages.sh $(PAGE_PACKAGES)
	$(PYTHON) Scripts/page-picture.py $(BUILT) docs/report.png

bench: ## measure speed and memory, side by side with tshark and btmon
	@Scripts/install-packages.sh $(BENCH_PACKAGES)
	@$(MAKE) --no-print-directory release
	$(PYTHON) Benchmarks/run.py $(PROGRAM)
	$(PYTHON) Benchmarks/live.py $(PROGRAM)
	$(PYTHON) Benchmarks/convert.py $(PROGRAM)
	$(PYTHON) Benchmarks/diff.py $(PROGRAM)

# It uses all processors by itself.
cost: build ## count instructions, allocations and memory of each verb, and compare them with Benchmarks/cost.tsv; with BUILD=1 also the time to build each module
	@Scripts/install-packages.sh $(COST_PACKAGES) || echo "valgrind cannot be installed; costs are not measured"
	$(PYTHON) Scripts/cost.py $(BUILT) $(if $(BUILD),--build '$(TESTED)')

cost-record: build ## write the costs that changed to Benchmarks/cost.tsv; all of them with ALL=1
	@Scripts/install-packages.sh $(COST_PACKAGES)
	$(PYTHON) Scripts/cost.py $(BUILT) --record $(if $(ALL),--all) $(if $(BUILD),--build '$(TESTED)')

test-fleet: build ## test the tables of `table` in DuckDB and in a Spark cluster on this machine
	@Scripts/install-packages.sh $(FLEET_PACKAGES) || echo "not all packages of the fleet's tests can be installed"
	@$(MAKE) --no-print-directory .venv/bin/fleet-made || echo "DuckDB and PySpark cannot be installed: their tests are skipped"
	@python=.venv/bin/python; [ -x $$python ] || python=$(PYTHON); \
		GATTSCOPE=$(abspath $(BUILT)) $$python fleet/test_fleet.py -v

fuzz: ## run each fuzzer for FUZZ_SECONDS (60)
	@Scripts/install-packages.sh $(BUILD_PACKAGES)
	@for fuzzer in $(FUZZERS); do $(FUZZ_BUILD) --product $$fuzzer || exit 1; done
	@MORE_CAPTURES="$(MORE_CAPTURES)" Scripts/fuzz.sh $(FUZZ_SECONDS) $(addprefix .build-fuzz/release/,$(FUZZERS))

fuzz-long: ## run all fuzzers in turns for HOURS (8); the table is .build-fuzz/fuzz-long.md
	@Scripts/install-packages.sh $(BUILD_PACKAGES)
	@for fuzzer in $(FUZZERS); do $(FUZZ_BUILD) --product $$fuzzer || exit 1; done
	@MORE_CAPTURES="$(MORE_CAPTURES)" $(PYTHON) Scripts/fuzz-long.py $(HOURS) .build-fuzz/fuzz-long.md \
		$(addprefix .build-fuzz/release/,$(FUZZERS))

fuzz-corpus: ## recreate Fuzz/Corpus, which the fuzzers start with
	$(PYTHON) Scripts/make-fuzz-corpus.py Fuzz/Corpus

golden: ## rewrite the expected output of the golden tests and documents, for review before a commit
	@RECORD_SNAPSHOTS=1 $(TEST) --filter GoldenTests >/dev/null 2>&1 || true
	$(BUILT) explain --list-rules --markdown >docs/rules.md
	GATTSCOPE=$(BUILT) $(PYTHON) Scripts/update-docs.py
	$(PYTHON) Scripts/write-coverage.py $(BUILT)
	$(PYTHON) Scripts/make-picture.py $(BUILT)
	@git status --short Tests/GoldenTests README.md docs
	$(TEST) --filter GoldenTests

lint: ## check the style of the Swift code and the syntax of the scripts
	swift format lint --strict -r $(SWIFT_FOLDERS)
	$(PYTHON) Scripts/lint-scripts.py
	$(PYTHON) Scripts/lint-sums.py
	$(PYTHON) Scripts/lint-words.py
	$(PYTHON) Scripts/lint-english.py

format: ## format the Swift code
	swift format -i -r $(SWIFT_FOLDERS)

# Written to another file and moved, since the program that writes it is built from it.
profiles: build ## compile Profiles/ into the tables that decoding reads
	$(BUILT) profiles check $(PROFILES)
	$(BUILT) profiles compile $(PROFILES) > .build/profiles-tables
	mv .build/profiles-tables Sources/Decoders/Generated/BuiltInProfiles+Tables.swift

man: $(BUILD_PROGRAM) ## write the manual page, .build/man/gattscope.1
	install -d .build/man
	$(DATED) $(PYTHON) Scripts/make-man.py "$(PROGRAM)" > .build/man/gattscope.1

captures: .venv/bin/bumble-made ## recreate the sample captures
	.venv/bin/python Scripts/make-captures.py captures

# Each stamp is named after the list of packages that the virtual environment has. pip installs only files with the digests
# of the list, and what has to be built is built with a setuptools that was checked, too. One list at a time: all share the
# environment.
PIP_INSTALL := .venv/bin/pip install --quiet --require-hashes --no-build-isolation --use-pep517
.venv/bin/%-made: Scripts/requirements/%.txt Scripts/requirements/setuptools.txt
	@Scripts/install-packages.sh python3 python3-venv
	@mkdir -p .venv
	flock .venv sh -ec '$(PYTHON) -m venv .venv; $(PIP_INSTALL) --requirement Scripts/requirements/setuptools.txt; $(PIP_INSTALL) --requirement $<'
	@touch $@

.PRECIOUS: .venv/bin/%-made

requirements: .venv/bin/uv-made ## pin the Python packages of Scripts/requirements/*.in and what they need, with the digests of their files
	for list in $(basename $(wildcard Scripts/requirements/*.in)); do .venv/bin/uv pip compile $$list.in --output-file $$list.txt \
		--universal --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet || exit 1; done

# Never builds, so that nothing is compiled or downloaded as root. Strips symbols, a third of the program.
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

# The extcap goes elsewhere if Wireshark was not installed at the time.
uninstall: ## remove everything that install wrote below PREFIX, and the extcap
	rm -rf "$(DESTDIR)$(PREFIX)/$(DOCUMENTS)"
	rm -f "$(DESTDIR)$(EXTCAP)/gattscope" "$(DESTDIR)$(PREFIX)/lib/wireshark/extcap/gattscope"
	rm -f "$(DESTDIR)$(PREFIX)/bin/gattscope" "$(DESTDIR)$(PREFIX)/$(MAN)" \
		$(addprefix "$(DESTDIR)$(PREFIX)"/share/,$(COMPLETIONS))

# Writes the bill of materials of the program in a tree: $(call describe,TREE,PREFIX)
describe = $(DATED) .venv/bin/python Scripts/make-sbom.py $(1)$(2)/bin/gattscope > $(1)$(2)/$(DOCUMENTS)gattscope.cdx.json

# Each run fills an empty tree, so that no file of an earlier run is packed.
deb: $(BUILD_PROGRAM) .venv/bin/cyclonedx-made ## make a Debian package with its bill of materials, in DIST (.build/dist); signed with SIGN=KEY
	@Scripts/install-packages.sh $(DEB_PACKAGES)
	rm -rf .build/deb
	@$(MAKE) --no-print-directory install PROGRAM="$(PROGRAM)" PREFIX=/usr EXTCAP=/usr/lib/wireshark/extcap DESTDIR=.build/deb >/dev/null
	$(call describe,.build/deb,/usr)
	$(DATED) SIGN="$(SIGN)" Scripts/make-deb.sh .build/deb "$(DIST)"

dist: $(BUILD_PROGRAM) .venv/bin/cyclonedx-made ## make an archive for Debian 12 and newer, with its checksum, in DIST (.build/dist); signed with SIGN=KEY
	rm -rf .build/dist-tree
	@$(MAKE) --no-print-directory install PROGRAM="$(PROGRAM)" PREFIX= EXTCAP=/lib/wireshark/extcap DESTDIR=.build/dist-tree >/dev/null
	$(call describe,.build/dist-tree,)
	$(DATED) SIGN="$(SIGN)" Scripts/make-dist.sh .build/dist-tree "$(DIST)" "$(VERSION)"

# What cannot be installed is reported by the tests that need it.
packages-of-neighbours:
	-@Scripts/install-packages.sh $(LIVE_PACKAGES)
	-@Scripts/install-packages.sh $(FLEET_PACKAGES)
	-@Scripts/install-packages.sh $(PAGE_PACKAGES)
	-@Scripts/install-packages.sh $(COST_PACKAGES)
	-@$(MAKE) --no-print-directory .venv/bin/cyclonedx-made .venv/bin/fleet-made

packages: ## install the Debian packages that the tests need, and the Python packages that run scripts of `trace --as bleak`
	@Scripts/install-packages.sh $(TEST_PACKAGES)
	@$(MAKE) --no-print-directory .venv/bin/bumble-made .venv/bin/bleak-made || { \
		echo "bumble and bleak cannot be installed into .venv: the tests that run scripts of trace --as bleak need them, and are skipped unless CI is set" >&2; \
		[ -z "$${CI:-}" ]; }
