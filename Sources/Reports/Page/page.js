// Draws the timeline, the list of packets, the ladder and the charts. Sentences come from
// the reports or from page.html; texts are inserted as text nodes only.
(() => {
  'use strict';
  const at = id => document.getElementById(id);
  const data = JSON.parse(at('data').textContent);
  const make = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
  const draw = (name, attributes, ...children) =>
    fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) if (value != null) element.setAttribute(name, value);
    element.append(...children.filter(child => child != null));
    return element;
  }
  // A head holds the words up to the subject, and after tabs the packet's codes.
  const codes = data.heads.map(head => head.split('\t').slice(1));
  data.heads = data.heads.map(head => head.split('\t')[0]);
  const words = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => name in values ? values[name] : all);

  // Packets, unpacked into arrays. Times are in seconds; requests and responses are rows or -1.
  const SENT = 1, RECEIVED = 2, FAILED = 4, FLAWED = 8, FOLDED = 16, TIMELESS = 32, REQUEST = 64, ADVERTISING = 256,
    SECURITY = 512, ENCRYPTED = 2048, IN_RUN = 4096;
  const total = data.t.length;
  const time = new Float64Array(total), number = new Uint32Array(total), connection = new Uint32Array(total),
    layer = new Uint8Array(total), flags = new Uint16Array(total), request = new Int32Array(total).fill(-1),
    response = new Int32Array(total).fill(-1), runOf = new Int32Array(total).fill(-1), heads = places(data.a), rests = places(data.b);
  // Returns the places of texts: 0 stands for the next new text, other numbers for a place plus 1.
  function places(column) {
    let newest = 0;
    return Uint32Array.from(column, one => one ? one - 1 : ++newest);
  }
  const flaws = new Map(), runs = new Map();
  (() => {
    let microseconds = 0, row = 0, folded = 0, kin = 0, other = 0, newest = 0;
    for (let i = 0; i < data.n.length; i += 2) {
      for (let k = 0; k < data.n[i + 1]; k++) number[row++] = data.n[i] + k;
    }
    for (let i = 0; i < total; i++) {
      microseconds += data.t[i];
      time[i] = microseconds / 1e6;
      const common = data.m[i] * 4;
      const kind = data.common[common];
      if (kind) connection[i] = kin = kind == 1 ? kin : kind == 2 ? kin + 1 : data.others[other++];
      layer[i] = data.common[common + 1];
      flags[i] = data.common[common + 2];
      if (data.common[common + 3]) request[i] = i - data.common[common + 3];
      if (flags[i] & FOLDED) runOf[i] = 0;
      if (!(flags[i] & IN_RUN)) continue;
      const back = data.run[folded++];
      if (back < 0) newest -= back;
      runOf[i] = back < 0 ? newest : newest - back;
      const run = runs.get(runOf[i]) || runs.set(runOf[i], {count: 0, from: number[i]}).get(runOf[i]);
      run.count++;
      run.to = number[i];
    }
    for (let i = 0; i < data.far.length; i += 2) request[data.far[i]] = data.far[i + 1];
    for (let i = 0; i < total; i++) if (request[i] >= 0 && response[request[i]] < 0) response[request[i]] = i;
    for (let i = 0; i < data.problems.length; i += 2) {
      const list = flaws.get(data.problems[i]) || [];
      list.push(data.problems[i + 1]);
      flaws.set(data.problems[i], list);
    }
  })();
  const layers = data.layers, ATT = layers.indexOf('att'), SMP = layers.indexOf('smp'), L2CAP = layers.indexOf('l2cap');
  const endOfTime = total ? time.reduce((most, one) => Math.max(most, one), 0) : 0;
  const startOfTime = total ? time.reduce((least, one) => Math.min(least, one), 0) : 0;
  const isPDU = i => (flags[i] & 3) > 0 && (layer[i] == ATT || layer[i] == SMP || layer[i] == L2CAP);
  const joined = i => data.heads[heads[i]] + (rests[i] ? ': ' + data.rests[rests[i]] : '');
  const flawsOf = i => (flaws.get(number[i]) || []).map(place => data.flaws[place]);
  function runWords(run) {
    const {count, from, to} = runs.get(run), text = data.runTexts[data.runs[run]];
    return words(count > 1 ? grid.dataset.run : grid.dataset.runOne, {text, n: count, from, to});
  }

  // Return the first row whose number or time is at least this, or -1.
  const rowOf = packet => search(number, packet), nextRow = seconds => search(time, seconds);
  function search(column, least) {
    let low = 0, high = total;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (column[middle] < least) low = middle + 1; else high = middle;
    }
    return low < total ? low : -1;
  }

  // MARK: Formatting of numbers

  const fixed = (value, decimals) => value.toFixed(decimals);
  function span(seconds) {
    const size = Math.abs(seconds);
    if (size < 1e-3) return Math.round(seconds * 1e6) + ' µs';
    if (size < 0.1) return fixed(seconds * 1e3, 1) + ' ms';
    if (size < 1) return Math.round(seconds * 1e3) + ' ms';
    if (size < 120) return fixed(seconds, 1) + ' s';
    if (size < 7200) return fixed(seconds / 60, 1) + ' min';
    return fixed(seconds / 3600, 1) + ' h';
  }
  const seconds = i => flags[i] & TIMELESS ? '' : fixed(time[i], Math.min(6, data.decimals));
  function clock(i) {
    if (!data.start || flags[i] & TIMELESS) return '';
    const date = new Date(data.start[0] * 1000 + data.start[1] / 1e6 + time[i] * 1000);
    return isNaN(date) ? '' : date.toISOString().replace('T', ' ').replace('Z', ' UTC');
  }

  // MARK: The state of filters and search

  const filter = {view: 'list', connection: '', layer: '', direction: '', errors: false, fold: true, quiet: false, from: null, to: null};
  const opened = new Set();
  let current = -1, terms = [], headHits = [], restHits = [], fieldHits = null;

  const isSaid = (i, k) => headHits[k][heads[i]] || restHits[k][rests[i]]
    || flaws.has(number[i]) && flawsOf(i).some(text => text.toLowerCase().includes(terms[k]));
  const isHit = i => terms.every((term, k) => isSaid(i, k) || fieldHits && fieldHits[k].has(number[i]));

  function isWanted(i) {
    if (filter.connection && connection[i] != filter.connection) return false;
    if (filter.view == 'ladder') {
      if (!filter.connection && !connection[i]) return false;
      if (layer[i] == layers.indexOf('acl')) return false;
    }
    if (filter.layer) {
      if (filter.layer == 'adv' ? !(flags[i] & ADVERTISING) : filter.layer == 'security' ? !(flags[i] & SECURITY)
        : layers[layer[i]] != filter.layer) return false;
    }
    if (filter.direction && !(flags[i] & filter.direction)) return false;
    if (filter.errors && !(flags[i] & (FAILED | FLAWED))) return false;
    if (filter.quiet && flags[i] & ADVERTISING && !connection[i] && filter.layer != 'adv' && !terms.length) return false;
    if (filter.from != null && (time[i] < filter.from || time[i] > filter.to)) return false;
    return !terms.length || isHit(i);
  }

  // Entries: row i, -1 - run for a run of folded packets, SILENCE - i for a silence before row i.
  const SILENCE = -(1 << 28), LONG = 0.5;
  let entries = [], entryOfRow = new Int32Array(total).fill(-1), waits = [], prior = [], matching = 0;
  function add(entry, wait, before) {
    waits.push(wait);
    prior.push(before);
    entries.push(entry);
  }
  function arrange() {
    [entries, waits, prior, matching] = [[], [], [], 0];
    entryOfRow.fill(-1);
    const said = new Set(), folds = filter.fold && !terms.length && !filter.errors;
    let last = -1, until = -1;
    for (let i = 0; i < total; i++) {
      if (!isWanted(i)) continue;
      matching++;
      if (folds && runOf[i] >= 0 && !(runOf[i] && opened.has(runOf[i]))) {
        if (!runOf[i]) continue;
        if (!said.has(runOf[i])) add(-1 - runOf[i], until > i ? 'on' : '', last);
        said.add(runOf[i]);
        entryOfRow[i] = entries.length - 1;
        last = i;
        continue;
      }
      const waiting = isPDU(i) && response[i] > i, still = until > i ? 'on' : '';
      if (filter.view == 'ladder' && last >= 0 && time[i] - time[last] > LONG) add(SILENCE - i, still, last);
      entryOfRow[i] = entries.length;
      add(i, isPDU(i) && request[i] >= 0 && !still ? 'end' : waiting && !still ? 'start' : still, last);
      if (waiting) until = Math.max(until, response[i]);
      last = i;
    }
    const label = at('count');
    label.textContent = words(matching == total ? label.dataset.all : label.dataset.some, {k: matching, n: total});
    grid.setAttribute('aria-rowcount', entries.length);
    render();
  }

  // MARK: The list and the ladder, which have elements for visible rows only

  const grid = at('rows'), sheet = make('div', {class: 'window', role: 'presentation'}), space = make('div', {role: 'presentation'});
  const TALLEST = 8e6;
  grid.append(space);
  space.append(sheet);
  const rowHeight = () => parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row')) || 26;

  function scale() {
    const height = entries.length * rowHeight(), seen = grid.clientHeight;
    const tall = Math.min(height, TALLEST);
    return {height, seen, tall, factor: tall > seen ? (height - seen) / (tall - seen) : 1};
  }

  function render() {
    const {seen, tall, factor} = scale(), each = rowHeight();
    space.style.height = Math.max(tall, seen - 1) + 'px';
    sheet.style.height = seen + 'px';
    const top = grid.scrollTop * factor, first = Math.max(0, Math.floor(top / each));
    const rows = [];
    for (let k = first; k < entries.length && (k - first - 1) * each < seen; k++) rows.push(entryRow(k));
    if (!entries.length) rows.push(make('p', {class: 'aside'}, grid.dataset.none));
    sheet.className = 'window ' + filter.view;
    const block = make('div', {role: 'presentation'}, ...rows);
    block.style.transform = 'translateY(' + (first * each - top) + 'px)';
    sheet.replaceChildren(block);
    if (current >= 0 && entryOfRow[current] >= first && entryOfRow[current] < first + rows.length) {
      grid.setAttribute('aria-activedescendant', 'row-' + entryOfRow[current]);
    } else grid.removeAttribute('aria-activedescendant');
  }

  // Returns a text with its bytes, codes and handles in the monospaced font.
  const typed = text => text.split(/((?<![\w.])(?:[0-9a-f]{2}(?: [0-9a-f]{2})+(?![\w.])|0x[0-9a-f]+|[0-9A-F]{2}(?::[0-9A-F]{2}){5}))/).flatMap((part, k) => k % 2 ? [make('code', {}, ...marked(part))] : marked(part));
  const short = text => text.replace(/\b([0-9a-f]{4})[0-9a-f]{4}-(?:[0-9a-f]{4}-){3}[0-9a-f]{8}([0-9a-f]{4})\b/g, '$1…$2');
  const cell = (name, text, title) => make('span', {class: name, role: 'gridcell', title}, ...[].concat(text == null ? '' : text));
  function marked(text) {
    const low = text.toLowerCase(), parts = [];
    let from = 0;
    while (terms.length) {
      let place = -1, length = 0;
      for (const term of terms) {
        const found = low.indexOf(term, from);
        if (found >= 0 && (place < 0 || found < place)) { place = found; length = term.length; }
      }
      if (place < 0 || low.length != text.length) break;
      parts.push(text.slice(from, place), make('mark', {}, text.slice(place, place + length)));
      from = place + length;
    }
    return [...parts, text.slice(from)];
  }

  const laneOf = i => 'lane' + (flags[i] & ENCRYPTED ? ' encrypted' : '');
  function entryRow(k) {
    const entry = entries[k];
    const isLadder = filter.view == 'ladder', attributes = {role: 'row', id: 'row-' + k, 'aria-rowindex': k + 1, 'data-entry': k};
    if (entry <= SILENCE) {
      const i = SILENCE - entry, before = prior[k];
      return make('div', {...attributes, class: 'row'}, cell('n'), cell('t'),
        make('span', {class: 'lane quiet silence', role: 'gridcell'}, words(grid.dataset.silence, {n: span(time[i] - time[before])})),
        wait(k, ''));
    }
    if (entry < 0) {
      const text = marked(runWords(-1 - entry));
      return isLadder
        ? make('div', {...attributes, class: 'row folded'}, cell('n'), cell('t'),
          make('span', {class: laneOf(rowOf(runs.get(-1 - entry).from)), role: 'gridcell'}, make('div', {class: 'aside'}, '⊞ ', ...text)), wait(k, ''))
        : make('div', {...attributes, class: 'row folded'}, cell('n'), cell('t'), cell('g'), cell('c'), cell('d', '⊞'), cell('what', text));
    }
    const i = entry, direction = flags[i] & SENT ? 'sent' : flags[i] & RECEIVED ? 'received' : '';
    attributes.class = 'row ' + direction + (flags[i] & FAILED ? ' failed' : '');
    attributes['aria-selected'] = i == current;
    const arrow = make('span', {role: 'img', 'aria-label': direction ? grid.dataset[direction] : null, 'aria-hidden': direction ? null : 'true'},
      direction == 'sent' ? '→' : direction ? '←' : '');
    const said = text => typed(isLadder ? short(text) : text);
    const text = [make('span', {class: 'label'}, ...said(data.heads[heads[i]]))];
    if (rests[i]) text.push(' ', make('span', {class: 'rest'}, ...said(data.rests[rests[i]])));
    for (const flaw of flawsOf(i)) text.push(' ', make('span', {class: 'flaw'}, '⚠ ', ...marked(flaw)));
    // If only the packet's fields match, show the matching field in the row.
    terms.forEach((term, k) => {
      if (!isSaid(i, k) && fieldHits && fieldHits[k].has(number[i])) {
        text.push(' ', make('span', {class: 'rest'}, '[', ...marked(fieldHits[k].get(number[i])), ']'));
      }
    });
    const title = joined(i);
    if (isLadder) {
      const lane = make('span', {class: laneOf(i), role: 'gridcell', title},
        make('div', {class: isPDU(i) ? 'arrow' : 'aside'}, make('span', {}, ...text)));
      const latency = request[i] >= 0 && isPDU(i) ? span(time[i] - time[request[i]]) : '';
      return make('div', attributes, cell('n', number[i]), cell('t', seconds(i), clock(i)), lane, wait(k, latency));
    }
    const gap = prior[k] >= 0 ? time[i] - time[prior[k]] : 0;
    return make('div', attributes, cell('n', number[i]), cell('t', seconds(i), clock(i)), cell('g', gap >= LONG ? '+' + span(gap) : ''),
      cell('c', connection[i] || ''), make('span', {class: 'd', role: 'gridcell'}, arrow),
      make('span', {class: 'what', role: 'gridcell', title}, ...text));
  }

  const wait = (k, text) => make('span', {class: 'wait ' + (waits[k] || ''), role: 'gridcell'}, waits[k] ? make('i') : null, text);

  function scrollTo(k, margin) {
    const {seen, factor} = scale(), each = rowHeight(), top = grid.scrollTop * factor;
    if (k * each < top) grid.scrollTop = Math.max(0, k * each - margin) / factor;
    else if ((k + 1) * each > top + seen) grid.scrollTop = ((k + 1) * each - seen + margin) / factor;
    render();
  }

  // Selects and shows a packet. Filters that hide it are reset.
  function choose(i, keepsHash) {
    if (i < 0 || i >= total) return;
    current = i;
    if (!isWanted(i)) {
      for (const key of ['connection', 'layer', 'direction']) filter[key] = at(key).value = '';
      filter.errors = at('errors').checked = false;
      if (flags[i] & ADVERTISING) filter.quiet = at('quiet').checked = false;
      filter.from = filter.to = null;
      if (!isWanted(i)) { at('search').value = ''; terms = []; }
      if (filter.view == 'ladder') {
        filter.connection = at('connection').value = connection[i] || '';
        if (!isWanted(i)) setView('list');
      }
      arrange();
      drawTime();
    }
    if (runOf[i] >= 0 && !(entryOfRow[i] >= 0 && entries[entryOfRow[i]] == i)) {
      if (runOf[i]) opened.add(runOf[i]); else filter.fold = at('fold').checked = false;
      arrange();
    }
    // First, since the packet's fields may leave less room for the list.
    showPacket(i);
    scrollTo(entryOfRow[i], grid.clientHeight / 3);
    moveCursor();
    if (!keepsHash) history.replaceState(null, '', '#packet=' + number[i] + (filter.view == 'ladder' ? '&ladder=' + filter.connection : ''));
  }

  grid.addEventListener('scroll', render, {passive: true});
  grid.addEventListener('click', event => {
    const row = event.target.closest('.row');
    if (!row) return;
    const entry = entries[row.dataset.entry];
    if (entry >= 0) choose(entry);
    else if (entry > SILENCE) { opened.add(-1 - entry); arrange(); }
  });
  grid.addEventListener('keydown', event => {
    const page = Math.max(1, Math.floor(grid.clientHeight / rowHeight()) - 1), here = current >= 0 ? entryOfRow[current] : -1;
    const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9, j: 1, k: -1};
    if (event.key == 'Enter' && current >= 0) return at('packet').focus();
    if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey || !entries.length) return;
    event.preventDefault();
    const step = steps[event.key], way = step < 0 ? -1 : 1;
    let k = Math.min(entries.length - 1, Math.max(0, here + step));
    while (k >= 0 && k < entries.length && entries[k] < 0) k += way;
    if (entries[k] >= 0) choose(entries[k]);
  });

  // MARK: One packet

  // Returns a field: the place of its bytes, its depth, its key as a label, and its value unless it has fields of its own.
  const CODES = /\b(a2dp|acl|att|avdtp|cid|csrk|dcid|hci|id|iso|io|irk|l2cap|ltk|mic|mps|mtu|oob|phy|psm|rssi|scid|sco|sdu|smp|spsm|uuid)\b/g;
  function field(line) {
    const [place, depth, key = '', ...value] = line.split('\t');
    return {place, depth: Number(depth), key, value: value.length ? value.join('\t') : null,
      label: key.replaceAll('_', ' ').replace(CODES, code => code.toUpperCase()).replace(/^[a-z]/, first => first.toUpperCase())};
  }
  const said = line => line.label && line.value ? line.label + ': ' + line.value : line.label || line.value || '';
  let details = null;
  function unpack() {
    if (details) return details;
    const raw = JSON.parse(at('details').textContent), fields = new Map(), bytes = new Map();
    for (const part of raw.fields) part.lines = part.lines.map(field);
    for (const {n, b, begins, x, lines} of raw.fields) n.forEach((packet, k) => fields.set(packet, (x[k] = begins[b[k]].concat(x[k])).map(place => lines[place])));
    for (let i = 0; i < raw.bytes.length; i += 2) bytes.set(raw.bytes[i], raw.hex[raw.bytes[i + 1]]);
    return details = {fields, bytes, parts: raw.fields};
  }

  const link = i => make('a', {href: '#packet=' + number[i]}, '#' + number[i]);
  function sentence(text, values) {
    return make('p', {}, ...text.split(/(\{\w+\})/).map(part => part[0] == '{' ? values[part.slice(1, -1)] : part));
  }

  function showPacket(i) {
    const panel = at('packet'), {fields, bytes} = unpack();
    const parts = [make('h3', {}, '#' + number[i] + '  ' + data.heads[heads[i]])];
    if (rests[i]) parts.push(make('p', {}, data.rests[rests[i]]));
    for (const flaw of flawsOf(i)) parts.push(make('p', {class: 'flaw'}, '⚠ ' + flaw));
    const when = [seconds(i) && seconds(i) + ' s', clock(i)].filter(Boolean).join(' · ');
    if (when) parts.push(make('p', {class: 'time'}, when));
    if (request[i] >= 0) {
      parts.push(sentence(panel.dataset.answers, {n: link(request[i]), t: span(time[i] - time[request[i]])}));
    }
    if (response[i] >= 0) {
      parts.push(sentence(panel.dataset.answered, {n: link(response[i]), t: span(time[response[i]] - time[i])}));
    }
    const lines = fields.get(number[i]), hex = bytes.get(number[i]);
    if (lines) parts.push(make('div', {class: 'fields'}, ...layersOf(lines))); else parts.push(make('p', {}, panel.dataset.missing));
    if (hex) parts.push(dump(hex, null));
    panel.replaceChildren(...parts);
    panel.scrollTop = 0;
    const isJoined = lines && lines.some(line => line.place == 'joined');
    panel.onpointerover = panel.onfocusin = event => {
      const field = event.target.closest('.field'), old = panel.querySelector('.dump');
      if (field && old && !isJoined) old.replaceWith(dump(hex, field.dataset.place));
    };
  }

  // Returns the layers of a packet, the highest first. It is open, and so is what the value means.
  function layersOf(lines) {
    const layers = [], notes = [];
    lines.forEach((line, k) => {
      const isLayer = !line.depth && line.value == null && k + 1 < lines.length && lines[k + 1].depth > 0;
      if (isLayer) return layers.unshift(make('details', {class: 'layer', 'data-key': line.key}, make('summary', {}, line.label)));
      const place = line.place == 'joined' ? '' : line.place;
      const field = make('div', {class: 'field', 'data-place': place}, make('span', {}, make('i', {}, line.label), line.label && line.value ? ': ' : '',
        line.value && make('code', {}, line.value)), make('small', {}, place.replace('-', '–')));
      field.style.paddingLeft = Math.max(1, line.depth) + 'em';
      if (layers.length) layers[0].append(field); else notes.push(field);
    });
    const isValue = layers.length > 1 && layers[0].dataset.key == 'decoded';
    for (const layer of layers.slice(0, isValue ? 2 : 1)) layer.open = true;
    return [...notes, ...layers];
  }

  // Returns a dump, 16 or 8 bytes a line with offsets and characters. Marks the bytes of a field.
  function dump(hex, place) {
    const ends = place ? place.split('-').map(Number) : [-1, -1], from = ends[0], to = ends[ends.length - 1];
    const wide = at('packet').clientWidth > 560 ? 16 : 8, out = make('pre', {class: 'dump'});
    const count = hex.length / 2;
    for (let start = 0; start < count; start += wide) {
      const line = [make('i', {}, start.toString(16).padStart(4, '0') + '  ')];
      let text = '';
      for (let k = start; k < start + wide; k++) {
        const pair = k < count ? hex.substr(2 * k, 2) : '  ', code = parseInt(pair, 16);
        line.push(k >= from && k <= to ? make('b', {}, pair) : pair, k % 8 == 7 ? '  ' : ' ');
        if (k < count) text += code >= 32 && code < 127 ? String.fromCharCode(code) : '.';
      }
      out.append(...line, make('i', {}, text), '\n');
    }
    return out;
  }

  // MARK: Filters and search

  function setView(view) {
    filter.view = view;
    document.querySelector('input[name=view][value=' + view + ']').checked = true;
    document.querySelector('.heads').hidden = view != 'list';
    document.querySelector('.ends').hidden = view != 'ladder';
    if (view == 'ladder' && !filter.connection && data.connections.length) {
      const here = current >= 0 ? connection[current] : 0, counts = new Map();
      for (const id of connection) if (id) counts.set(id, (counts.get(id) || 0) + 1);
      const busiest = data.connections.reduce((best, one) => (counts.get(one.id) || 0) > (counts.get(best.id) || 0) ? one : best);
      filter.connection = at('connection').value = String(here || busiest.id);
    }
    nameEnds();
  }
  function nameEnds() {
    const one = data.connections.find(one => one.id == filter.connection);
    document.querySelector('.ends span:last-child').textContent = one ? one.peer : '';
  }
  at('filters').addEventListener('change', event => {
    const {id, name, value, checked, type} = event.target;
    if (name == 'view') setView(value); else filter[id] = type == 'checkbox' ? checked : value;
    if (id == 'fold') opened.clear();
    nameEnds(); arrangeNear(); drawTime();
  });
  // Shows the selected packet or, if it is hidden now, the last one before it.
  function arrangeNear() {
    arrange();
    let near = current;
    while (near >= 0 && entryOfRow[near] < 0) near--;
    if (near >= 0) scrollTo(entryOfRow[near], grid.clientHeight / 3);
  }
  at('filters').addEventListener('submit', event => event.preventDefault());

  const lowered = {};
  function lower(name) { return lowered[name] = lowered[name] || data[name].map(text => text.toLowerCase()); }
  // Returns for each head whether it has the code that a word like `op:0x12`, `op:write-request`, `status:!0` or `uuid:2a37`
  // asks for, as the options of `show` do; undefined for other words.
  function coded(term) {
    const [, key, asked] = /^(op|event|status|handle|uuid):(.+)$/.exec(term) || [];
    const isUUID = key == 'uuid', parts = isUUID || !key ? [] : asked.split(':');
    const wanted = !key || key + ':' + (isUUID ? asked.replace(/^0x/, '').replace(/^0000(....)-0000-1000-8000-00805f9b34fb$/, '$1')
      : parts.map(part => isNaN(part) ? part.replace(/-/g, ' ') : Number(part).toString(16)).join(':'));
    // A number, and a whole name, do not stand for a part of other names.
    const isWhole = parts.every(part => !isNaN(part)) || key != 'event' && codes.some(list => list.includes(wanted));
    const isMeant = code => code == wanted || (isUUID && wanted.endsWith('…') ? code.startsWith(wanted.slice(0, -1))
      : !isWhole && code.startsWith(key + ':') && code.replace(':', ' ').includes(wanted.slice(key.length).replace(':', ' ')));
    return key && codes.map(list => list.some(isMeant));
  }
  function find(query) {
    const isBytes = text => /^[0-9a-f]{2}( [0-9a-f]{2})*$/.test(text), join = (all, term) =>
      isBytes(term) && isBytes(all.at(-1)) ? [...all.slice(0, -1), all.at(-1) + ' ' + term] : [...all, term];
    terms = query.toLowerCase().split(/\s+/).map(term => term.replace(/:$/, '')).filter(Boolean).reduce(join, []);
    headHits = terms.map(term => coded(term) || lower('heads').map(text => text.includes(term)));
    restHits = terms.map(term => lower('rests').map(text => text.includes(term)));
    fieldHits = terms.length && query.length > 2 ? terms.map(fieldsWith) : null;
    for (const section of document.querySelectorAll('main > section')) {
      let count = 0;
      for (const one of section.querySelectorAll('.finding, .story li, tbody tr')) {
        const low = terms.length ? one.textContent.toLowerCase() : '', isOne = terms.length > 0 && terms.every(term => low.includes(term));
        one.classList.toggle('hit', isOne);
        if (isOne) { count++; unfold(one); }
      }
      badge(section.id, count);
    }
    arrangeNear();
    badge('packets', terms.length ? matching : 0);
  }
  function unfold(element) {
    for (let fold = element.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
  }
  function fieldsWith(term) {
    const found = new Map();
    for (const part of unpack().parts) {
      const texts = part.lines.map(said), isHit = texts.map(text => text.toLowerCase().includes(term));
      part.x.forEach((list, k) => {
        const place = list.find(place => isHit[place]);
        if (place != null) found.set(part.n[k], texts[place]);
      });
    }
    return found;
  }
  function badge(id, count) {
    const place = document.querySelector('nav a[href="#' + id + '"] b');
    if (!place) return;
    place.hidden = !count; place.textContent = count || '';
  }
  let timer = 0;
  at('search').addEventListener('input', event => {
    clearTimeout(timer);
    timer = setTimeout(() => find(event.target.value), total > 2e5 ? 300 : 60);
  });
  at('search').addEventListener('keydown', event => {
    if (event.key == 'Escape') { event.target.value = ''; find(''); }
    if (event.key != 'Enter') return;
    const value = event.target.value.trim(), asked = /^#(\d+)$/.exec(value);
    // A time of day leads to the first packet from then on.
    const [day, first] = clock(0).split(/[T ]/), isNext = i => clock(i).slice(0, 10) > day;
    const wraps = first && value < first.slice(0, value.length) && isNext(total - 1) && clock(total - 1).slice(11) >= value;
    const isDated = /^\d{4}-\d\d-\d\d \d/.test(value), isSince = i => isDated ? clock(i) >= value : clock(i).slice(11) >= value && (!wraps || isNext(i));
    const then = isDated || /^\d\d:\d\d(:\d\d(\.\d*)?)?$/.test(value) ? number.findIndex((one, i) => isSince(i) && !(filter.fold && flags[i] & FOLDED)) : -1;
    clearTimeout(timer);
    if (asked || then >= 0) { find(event.target.value = ''); return go(asked ? Number(asked[1]) : number[then]); }
    find(event.target.value);
    const here = current >= 0 && entryOfRow[current] >= 0 ? entryOfRow[current] : event.shiftKey ? entries.length : -1;
    const step = event.shiftKey ? -1 : 1, hits = entries.filter(entry => entry >= 0);
    const next = step > 0 ? hits.find(entry => entryOfRow[entry] > here) : hits.findLast(entry => entryOfRow[entry] < here);
    // If filters hide all that was found, they are reset.
    if (next != null) choose(next); else if (!hits.length && terms.length) choose(number.findIndex((one, i) => isHit(i)));
    at('packets').scrollIntoView();
  });
  document.querySelector('nav form').addEventListener('submit', event => event.preventDefault());
  document.querySelector('nav ul').addEventListener('click', event => {
    const target = event.target.closest('a'), hit = target && document.querySelector(target.hash + ' .hit');
    if (!hit) return;
    event.preventDefault();
    hit.scrollIntoView({block: 'center'});
  });
  document.addEventListener('keydown', event => {
    if (event.key != '/' || event.ctrlKey || event.metaKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
    event.preventDefault();
    at('search').focus();
    at('search').select();
  });

  function go(packet) {
    const i = rowOf(packet), panel = at('packet');
    if (i >= 0 && number[i] == packet) {
      choose(i, true);
    } else {
      panel.replaceChildren(make('h3', {}, '#' + packet), make('p', {}, panel.dataset.gone));
    }
    at('packets').scrollIntoView();
  }
  // Follows the address: a place on the page, or what to show, as in `#packet=758&ladder=1`.
  function follow() {
    const hash = location.hash.slice(1), place = at(hash);
    if (place) return unfold(place);
    const asked = Object.fromEntries(hash.split('&').map(part => [part.split('=')[0], part.slice(part.indexOf('=') + 1)]));
    if (/^\d+$/.test(asked.ladder)) {
      filter.connection = at('connection').value = asked.ladder;
      setView('ladder'); arrange(); at('packets').scrollIntoView();
    }
    if (asked.find != null) {
      // The address may have a percent sign that does not begin an escape.
      try { asked.find = decodeURIComponent(asked.find); } catch { }
      find(at('search').value = asked.find);
    }
    if (/^\d+$/.test(asked.packet)) go(Number(asked.packet));
  }
  window.addEventListener('hashchange', follow);
  document.addEventListener('click', event => {
    const target = event.target.closest('a[href^="#packet="]');
    // Following the same link again does not change the hash, so no event reports it.
    if (target && target.hash == location.hash) follow();
  });

  at('copy').addEventListener('click', async event => {
    const button = event.currentTarget, label = button.textContent;
    try {
      await navigator.clipboard.writeText(at('markdown').textContent);
    } catch {
      at('markdown').closest('details').open = true;
      getSelection().selectAllChildren(at('markdown'));
      document.execCommand('copy');
    }
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = label; }, 2000);
  });

  // MARK: The timeline

  const lanes = at('lanes'), AXIS = 24, LANE = 46, THIN = 30;
  let view = [startOfTime, Math.max(endOfTime, startOfTime + 1e-3)], gutter = 0, width = 0, cursor = null, answerDots = [];
  // Idle times: where each begins and ends. It is drawn as if it took `KEPT`.
  const gaps = [], busy = Float64Array.from(time.filter((one, i) => connection[i] || !data.connections.length)).sort();
  const LEAST_GAP = Math.max(1, (endOfTime - startOfTime) / 25);
  let last = startOfTime, idle = 0;
  for (const one of [...busy, endOfTime]) {
    if (one - last > LEAST_GAP) { gaps.push([last, one]); idle += one - last; }
    last = Math.max(last, one);
  }
  const KEPT = Math.max(LEAST_GAP / 100, Math.min(LEAST_GAP, (endOfTime - startOfTime - idle) / 25));
  // Return the time without what is left out of idle times, and the time that this is.
  function squeeze(seconds) {
    let cut = 0;
    for (const [from, to] of gaps) if (seconds > from) cut += (Math.min(seconds, to) - from) * (1 - KEPT / (to - from));
    return seconds - cut;
  }
  function stretch(seconds) {
    let cut = 0;
    for (const [from, to] of gaps) {
      const inside = seconds + cut - from;
      if (inside <= 0) break;
      if (inside < KEPT) return from + inside / KEPT * (to - from);
      cut += to - from - KEPT;
    }
    return seconds + cut;
  }
  let shown = [0, 1];
  const x = seconds => gutter + (squeeze(seconds) - shown[0]) / (shown[1] - shown[0]) * (width - gutter - 8);
  const clamp = value => Math.max(gutter, Math.min(width - 8, value));
  const moment = microseconds => microseconds == null ? view[1] : microseconds / 1e6;

  function ticks(from, to, most) {
    const rough = (to - from) / most, power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map(one => one * power).find(one => one >= rough), all = [];
    for (let one = Math.ceil(from / step) * step; one <= to + step * 1e-9; one += step) all.push(one);
    return {all, decimals: Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9)))};
  }

  const device = one => (one.name ? one.name + '  ' : '') + one.address, called = one => one.id + '  ' + device(one);

  // Returns the lanes. The connections of a peer share one unless they overlap.
  function packed() {
    const rows = [];
    for (const one of data.connections) {
      const row = rows.find(row => one.device && row.all[0].device == one.device && row.end != null && row.end <= one.open);
      if (row) { row.all.push(one); row.end = one.close; } else rows.push({all: [one], end: one.close});
    }
    return rows;
  }

  function label(svg, text, y, taken = 0) {
    const most = Math.floor(((gutter || width - 4) - 12 - taken) / GLYPH);
    svg.append(draw('text', {class: 'label', x: 6, y}, text.length > most ? text.slice(0, most - 1) + '…' : text, draw('title', {}, text)));
  }

  function drawTime() {
    width = lanes.clientWidth;
    if (!width) return;
    shown = view.map(squeeze);
    gutter = width > 760 ? Math.min(340, width * 0.25) : 0;
    const head = gutter ? 0 : 16, rows = packed();
    const svg = draw('svg', {role: 'img', 'aria-label': lanes.getAttribute('aria-label')});
    svg.append(draw('defs', {}, draw('pattern', {id: 'hatch', width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)'},
      draw('rect', {class: 'hatch-well', width: 5, height: 5}), draw('line', {class: 'hatch', y2: 5}))));
    let y = AXIS, free = 0;
    const grid = [], folded = gaps.filter(([from, to]) => to > view[0] && from < view[1]);
    // The times between the idle ones have their own ticks.
    [...folded, [view[1], view[1]]].reduce((from, [to, next]) => {
      const {all, decimals} = to > from ? ticks(from, to, Math.max(1, (x(to) - x(from)) / 90)) : {all: []};
      for (const one of all) {
        const place = x(one);
        grid.push(place);
        if (place < free || place > width - 40) continue;
        free = place + 12 + 7 * (fixed(one, decimals).length + 2);
        svg.append(draw('text', {x: place + 3, y: 16}, fixed(one, decimals) + ' s'));
      }
      return next;
    }, view[0]);
    const counts = histogram(), most = Math.max(1, ...[...counts.values()].map(one => Math.max(...one.sent, ...one.received)));
    for (const row of rows) {
      label(svg, row.all.length > 1 ? device(row.all.find(one => one.name) || row.all[0]) : called(row.all[0]), y + (gutter ? 22 : 13));
      for (const one of row.all) drawLane(svg, one, y + head, counts.get(one.id), most);
      // Numbers, where the connection before leaves room.
      row.all.reduce((free, one) => {
        const place = clamp(x(moment(one.open))), isShown = row.all.length > 1 && place >= free && (one.close == null || moment(one.close) >= view[0]) && moment(one.open) <= view[1];
        if (isShown) svg.append(draw('text', {class: 'label', x: place + 3, y: y + head + 22}, one.id));
        return isShown ? place + 8 + 8 * String(one.id).length : free;
      }, 0);
      y += LANE + head;
      svg.append(draw('path', {class: 'rule', d: 'M0 ' + y + 'H' + width}));
    }
    if (data.connections.length) y = drawRates(svg, drawLatency(svg, y, head), head);
    for (const signal of data.signals) y = drawSignal(svg, signal, y, head);
    if (data.otherSignals) {
      svg.append(draw('text', {x: 6, y: y + 18}, words(lanes.dataset.more, {n: data.otherSignals})));
      y += THIN;
    }
    for (const [from, to] of folded) {
      const left = clamp(x(from)), right = clamp(x(to));
      svg.prepend(draw('rect', {class: 'idle', x: left, y: AXIS, width: Math.max(1, right - left), height: y - AXIS}, draw('title', {}, span(to - from))));
      if (right - left > 44) svg.append(draw('text', {x: (left + right) / 2, y: AXIS + 12, 'text-anchor': 'middle'}, span(to - from)));
    }
    svg.prepend(draw('path', {class: 'rule', d: grid.map(place => 'M' + place + ' ' + AXIS + 'V' + y).join('') + 'M0 ' + AXIS + 'H' + width}));
    cursor = draw('path', {class: 'cursor'});
    svg.append(cursor);
    svg.setAttribute('height', y + 2);
    svg.setAttribute('viewBox', '0 0 ' + width + ' ' + (y + 2));
    lanes.replaceChildren(svg);
    at('whole').hidden = filter.from == null;
    moveCursor();
    brush(svg, y);
  }

  function moveCursor() {
    if (!cursor || current < 0) return;
    const place = x(time[current]);
    cursor.setAttribute('d', place >= gutter && place <= width ? 'M' + place + ' ' + AXIS + 'V9999' : '');
  }

  const BIN = 3, GLYPH = 6.7;
  function histogram() {
    const counts = new Map(), bins = Math.ceil(width / BIN) + 1;
    for (let i = 0; i < total; i++) {
      if (!connection[i] || time[i] < view[0] || time[i] > view[1] || !(flags[i] & 3)) continue;
      let one = counts.get(connection[i]);
      if (!one) counts.set(connection[i], one = {sent: new Float64Array(bins), received: new Float64Array(bins)});
      one[flags[i] & SENT ? 'sent' : 'received'][Math.floor(x(time[i]) / BIN)]++;
    }
    return counts;
  }

  function drawLane(svg, one, y, counts, most) {
    const from = moment(one.open), to = one.close == null ? endOfTime : moment(one.close), middle = y + 18;
    if (to < view[0] || from > view[1]) return;
    const bar = (name, from, to) => {
      const left = clamp(x(from)), right = clamp(x(to));
      return draw('rect', {class: name, x: left, y: middle - 5, width: Math.max(2, right - left), height: 10, rx: 2});
    };
    svg.append(bar('open', from, to));
    for (let k = 0; k < one.secure.length; k += 2) {
      const end = moment(one.secure[k + 1] == null ? one.close == null ? endOfTime * 1e6 : one.close : one.secure[k + 1]);
      if (end >= view[0] && moment(one.secure[k]) <= view[1]) svg.append(bar('secure', moment(one.secure[k]), end));
    }
    if (counts) {
      for (const [way, sign] of [['sent', -1], ['received', 1]]) {
        let path = '';
        counts[way].forEach((count, bin) => {
          if (!count) return;
          const height = Math.max(2, 11 * Math.log1p(count) / Math.log1p(most));
          path += 'M' + bin * BIN + ' ' + (middle + sign * 6) + 'h2v' + sign * height + 'h-2z';
        });
        if (path) svg.append(draw('path', {class: way, d: path}));
      }
    }
    for (const line of document.querySelectorAll('#connection-' + one.id + ' li')) {
      const first = Number(line.dataset.first), last = Number(line.dataset.last), text = line.lastChild.textContent;
      const a = rowOf(first), b = rowOf(last);
      if (a < 0 || time[a] > view[1] || (b >= 0 ? time[b] : endOfTime) < view[0]) continue;
      const left = clamp(x(time[a])), right = clamp(x(b >= 0 ? time[b] : endOfTime));
      svg.append(draw('rect', {class: 'phase', x: left, y: y + 38, width: Math.max(4, right - left), height: 4, rx: 1, 'data-packet': first},
        draw('title', {}, '#' + first + '  ' + text)));
    }
    for (const [severity, id, packet, finding] of [...data.marks].reverse()) {
      const i = rowOf(packet);
      if (i < 0 || (id || connection[i]) != one.id || time[i] < view[0] || time[i] > view[1]) continue;
      const at = x(time[i]), isError = severity == 'error';
      svg.append(draw('path', {class: isError ? 'failed' : 'warned', 'data-packet': packet,
        d: isError ? 'M' + (at - 6) + ' ' + y + 'h12l-6 11z' : 'M' + at + ' ' + y + 'l6 6l-6 6l-6 -6z'}, draw('title', {}, '#' + packet + '  ' + data.findings[finding])));
    }
  }

  // Draws how long ATT requests waited for their answers, on a logarithmic scale.
  function drawLatency(svg, y, head) {
    const tall = 72, base = y + head + tall - 8, up = tall - 26, answers = [], taken = new Set();
    for (let i = 0; i < total; i++) {
      if (request[i] < 0 || layer[i] != ATT || filter.connection && connection[i] != filter.connection) continue;
      if (time[i] >= view[0] && time[i] <= view[1] && time[i] > time[request[i]]) answers.push(i);
    }
    const count = answers.length, latencyOf = i => time[i] - time[request[i]];
    const least = answers.reduce((low, i) => Math.min(low, latencyOf(i)), Infinity);
    const most = answers.reduce((high, i) => Math.max(high, latencyOf(i)), 0);
    const low = Math.pow(10, Math.floor(Math.log10(least))), high = Math.max(low * 10, Math.pow(10, Math.ceil(Math.log10(most))));
    const place = seconds => base - up * Math.log(seconds / low) / Math.log(high / low);
    let path = '', slow = '';
    answerDots = [];
    for (const i of answers) {
      const latency = latencyOf(i), left = Math.round(x(time[i])), top = Math.round(place(latency));
      if (taken.has(left * 4096 + top)) continue;
      taken.add(left * 4096 + top);
      answerDots.push([left, top, i]);
      if (latency >= 1) slow += 'M' + left + ' ' + top + 'h0'; else path += 'M' + left + ' ' + top + 'h0';
    }
    if (!count) return y;
    label(svg, lanes.dataset.latency, y + (gutter ? 22 : 13));
    if (gutter) svg.append(draw('text', {x: 6, y: y + 40}, [...new Set([span(least), span(most)])].join(' … ')));
    for (const one of [low, high]) {
      svg.append(draw('path', {class: 'rule', d: 'M' + gutter + ' ' + place(one) + 'H' + width}),
        draw('text', {x: (gutter || width) - 6, y: place(one) + (gutter ? 4 : -3), 'text-anchor': 'end'}, span(one)));
    }
    svg.append(draw('g', {}, draw('path', {class: 'dots', d: path}), draw('path', {class: 'dots slow', d: slow}), draw('title', {},
      words(lanes.dataset.latencyWords, {n: count, low: span(least), high: span(most)}))));
    y += head + tall;
    svg.append(draw('path', {class: 'rule', d: 'M0 ' + y + 'H' + width}));
    return y;
  }

  // Draws the bytes of values per second that were sent, above the line, and received: of all connections in grey if one is selected.
  function drawRates(svg, y, head) {
    const tall = 56, middle = y + head + tall / 2, bins = Math.ceil(width / BIN) + 1;
    const zeros = () => ({sent: new Float64Array(bins), received: new Float64Array(bins)}), all = zeros(), own = zeros();
    for (const one of data.connections) {
      for (const way of ['sent', 'received']) {
        const [start, part, bytes] = one[way] || [0, 1, []];
        bytes.forEach((count, k) => {
          const from = (start + k * part) / 1e6, to = from + part / 1e6;
          if (!count || to < view[0] || from > view[1]) return;
          const first = Math.floor(clamp(x(from)) / BIN), end = Math.max(first + 1, Math.floor(clamp(x(to)) / BIN));
          for (const rates of !filter.connection || filter.connection == one.id ? [all, own] : [all]) for (let bin = first; bin < end; bin++) rates[way][bin] += count / part * 1e6;
        });
      }
    }
    const most = Math.max(...all.sent, ...all.received);
    if (!most) return y;
    label(svg, lanes.dataset.rate, y + (gutter ? 22 : 13));
    svg.append(draw('text', gutter ? {x: 6, y: y + 40} : {x: width - 8, y: y + 13, 'text-anchor': 'end'}, '≤ ' + rate(most)));
    for (const [rates, isAll] of filter.connection ? [[all, true], [own, false]] : [[all, false]]) {
      for (const [way, sign] of [['sent', -1], ['received', 1]]) {
        let path = '';
        rates[way].forEach((one, bin) => { if (one) path += 'M' + bin * BIN + ' ' + middle + 'h' + BIN + 'v' + sign * Math.max(1, one / most * (tall / 2 - 4)) + 'h-' + BIN + 'z'; });
        svg.append(draw('path', {class: isAll ? 'others' : way, d: path}, draw('title', {}, rate(Math.max(...rates[way])))));
      }
    }
    y += head + tall;
    svg.append(draw('path', {class: 'rule', d: 'M' + gutter + ' ' + middle + 'H' + width + 'M0 ' + y + 'H' + width}));
    return y;
  }
  const rate = bytes => bytes < 1000 ? fixed(bytes, 0) + ' B/s' : bytes < 1e6 ? fixed(bytes / 1e3, 1) + ' kB/s' : fixed(bytes / 1e6, 1) + ' MB/s';

  function drawSignal(svg, signal, y, head) {
    const low = Math.min(...signal.low), high = Math.max(...(signal.high || signal.low)), flat = high == low;
    const place = value => y + head + 26 - (flat ? 11 : 22 * (value - low) / (high - low));
    let sum = 0, path = '';
    signal.t.forEach((delta, k) => {
      sum += delta;
      const left = x(sum / 1e6);
      if (left < gutter || left > width) return;
      path += 'M' + left.toFixed(1) + ' ' + place(signal.low[k]).toFixed(1)
        + (signal.high && signal.high[k] > signal.low[k] ? 'V' + place(signal.high[k]).toFixed(1) : 'h0');
    });
    const range = (flat ? low : low + '…' + high) + ' ' + lanes.dataset.signal;
    label(svg, signal.name, y + (gutter ? 14 : 12), gutter ? 0 : range.length * GLYPH + 24);
    svg.append(draw('text', gutter ? {x: 6, y: y + 27} : {x: width - 8, y: y + 12, 'text-anchor': 'end'}, range));
    svg.append(draw('path', {class: 'dots', d: path}));
    y += THIN + head;
    svg.append(draw('path', {class: 'rule', d: 'M0 ' + y + 'H' + width}));
    return y;
  }

  function zoom(from, to) {
    const whole = [startOfTime, Math.max(endOfTime, startOfTime + 1e-3)];
    from = Math.max(whole[0], from);
    to = Math.min(whole[1], to);
    if (to - from < 1e-4) return;
    const isWhole = from <= whole[0] && to >= whole[1];
    view = [from, to];
    [filter.from, filter.to] = isWhole ? [null, null] : view;
    drawTime(); drawCharts(); arrange();
    // A ladder of another connection would have nothing to show.
    const inside = i => connection[i] && time[i] >= from && time[i] <= to, other = entries.length || filter.view != 'ladder' ? -1 : time.findIndex((one, i) => inside(i));
    if (other >= 0) { filter.connection = at('connection').value = String(connection[other]); nameEnds(); arrange(); }
    const first = isWhole ? undefined : entries.find(entry => entry >= 0);
    if (first != null) choose(first, true); else arrangeNear();
  }

  function brush(svg, height) {
    let start = null, box = null;
    const seconds = event => stretch(shown[0] + (clamp(event.clientX - svg.getBoundingClientRect().left) - gutter) / (width - gutter - 8) * (shown[1] - shown[0]));
    svg.addEventListener('pointerdown', event => {
      if (event.target.dataset.packet || event.button) return;
      start = seconds(event);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener('pointermove', event => {
      if (start == null) return;
      const [a, b] = [start, seconds(event)].sort((a, b) => a - b);
      if (!box) svg.append(box = draw('rect', {class: 'brush', y: AXIS, height: height - AXIS}));
      box.setAttribute('x', x(a));
      box.setAttribute('width', x(b) - x(a));
    });
    svg.addEventListener('pointerup', event => {
      if (start == null) return;
      const [a, b] = [start, seconds(event)].sort((a, b) => a - b);
      start = null;
      if (x(b) - x(a) > 5) return zoom(a, b);
      if (box) box.remove();
      // A click selects the answer within 12 pixels of it, or else the next packet.
      const corner = svg.getBoundingClientRect(), near = (left, top) => Math.hypot(left - event.clientX + corner.left, top - event.clientY + corner.top);
      const dot = answerDots.reduce((best, one) => near(one[0], one[1]) < near(best[0], best[1]) ? one : best, [-1e9, 0, -1]);
      const i = near(dot[0], dot[1]) < 12 ? dot[2] : nextRow(a);
      if (i >= 0) location.hash = 'packet=' + number[i];
    });
    svg.addEventListener('click', event => {
      const mark = event.target.closest('[data-packet]');
      if (mark) location.hash = 'packet=' + mark.dataset.packet;
    });
  }
  lanes.addEventListener('keydown', event => {
    const [from, to] = shown, size = to - from, here = current >= 0 ? squeeze(time[current]) : from, whole = [startOfTime, endOfTime].map(squeeze);
    const centre = here > from && here < to ? here : (from + to) / 2;
    const next = {'+': [centre - size / 4, centre + size / 4], '=': [centre - size / 4, centre + size / 4], '-': [centre - size, centre + size],
      ArrowLeft: [from - size / 4, to - size / 4], ArrowRight: [from + size / 4, to + size / 4], 0: [startOfTime, Infinity],
      Escape: [startOfTime, Infinity]}[event.key];
    if (!next) return;
    event.preventDefault();
    if (event.key == 'ArrowLeft' && next[0] < whole[0]) zoom(startOfTime, stretch(whole[0] + size));
    else if (event.key == 'ArrowRight' && next[1] > whole[1]) zoom(stretch(whole[1] - size), endOfTime);
    else zoom(...next.map(stretch));
  });
  at('whole').addEventListener('click', () => zoom(startOfTime, Infinity));

  // MARK: Charts of values

  function drawCharts() {
    document.querySelectorAll('.chart').forEach((figure, k) => drawChart(figure, data.charts[k]));
  }

  function drawChart(figure, chart) {
    const wide = figure.clientWidth, tall = 80, left = chart && chart.words ? 112 : 62, base = tall - 20, top = 8;
    if (!wide || !chart) return;
    const times = [];
    let sum = 0;
    for (const delta of chart.t) times.push((sum += delta) / 1e6);
    const from = filter.from == null ? times[0] : view[0], to = Math.max(from + 1e-3, filter.from == null ? chart.end / 1e6 : view[1]);
    const codes = chart.words && chart.words.map(word => word[0]).sort((a, b) => a - b);
    const high = chart.high || chart.low, least = codes ? 0 : Math.min(...chart.low), most = codes ? codes.length - 1 : Math.max(...high);
    const px = seconds => left + (seconds - from) / (to - from) * (wide - left - 4);
    const py = value => base - (most > least ? ((codes ? codes.indexOf(value) : value) - least) / (most - least) : 0.5) * (base - top);
    const inside = value => Math.max(left, Math.min(wide - 4, value));
    const svg = draw('svg', {viewBox: '0 0 ' + wide + ' ' + tall, height: tall, role: 'img', 'aria-label': figure.querySelector('p').textContent});
    for (let k = 0; k < chart.on.length; k += 2) {
      const a = inside(px(chart.on[k] / 1e6)), b = inside(chart.on[k + 1] == null ? wide : px(chart.on[k + 1] / 1e6));
      if (b > a) svg.append(draw('rect', {class: 'on', x: a, y: top - 4, width: b - a, height: base - top + 8}));
    }
    const names = codes ? chart.words.map(word => [word[0], word[1]]) : [[least, fixed(least, chart.decimals)], [most, fixed(most, chart.decimals)]];
    for (const [value, name] of names.slice(0, 8)) {
      svg.append(draw('path', {class: 'rule', d: 'M' + left + ' ' + py(value) + 'H' + wide}));
      svg.append(draw('text', {x: left - 6, y: py(value) + 4, 'text-anchor': 'end'}, name.length * 6.8 > left ? name.slice(0, left / 6.8 - 2) + '…' : name, draw('title', {}, name)));
    }
    svg.append(draw('text', {x: left, y: tall - 4}, span(from)), draw('text', {x: wide - 4, y: tall - 4, 'text-anchor': 'end'}, span(to)));
    let curve = '', band = '', isOpen = false;
    times.forEach((one, k) => {
      const place = px(one);
      const next = k + 1 < times.length ? px(times[k + 1]) : px(chart.end / 1e6);
      if (next < left && !codes || place > wide) { isOpen = false; return; }
      const y = py(chart.low[k]).toFixed(1);
      if (codes) curve += (isOpen ? 'L' : 'M') + inside(place).toFixed(1) + ' ' + y + 'H' + inside(next).toFixed(1);
      else if (place >= left) curve += (isOpen ? 'L' : 'M') + place.toFixed(1) + ' ' + ((py(chart.low[k]) + py(high[k])) / 2).toFixed(1);
      if (!codes && high[k] > chart.low[k]) band += 'M' + place.toFixed(1) + ' ' + y + 'V' + py(high[k]).toFixed(1);
      isOpen = codes || place >= left;
    });
    svg.append(draw('path', {class: 'band', d: band}), draw('path', {class: 'curve', d: curve}));
    if (!codes && times.length <= 60) {
      svg.append(draw('path', {class: 'dots', d: times.map((one, k) => px(one) >= left && px(one) <= wide ? 'M' + px(one) + ' ' + py(high[k]) + 'h0' : '').join('')}));
    }
    figure.querySelector('svg')?.remove();
    figure.append(svg);
    svg.onclick = event => {
      const seconds = from + (event.clientX - svg.getBoundingClientRect().left - left) / (wide - left - 4) * (to - from);
      if (nextRow(seconds) >= 0) location.hash = 'packet=' + number[nextRow(seconds)];
    };
  }

  // MARK: Start

  for (const one of document.querySelectorAll('[data-script]')) one.hidden = false;
  at('subscribed').hidden = !data.charts.some(one => one.on.length);
  if (!data.connections.length) for (const one of document.querySelectorAll('.views, label:has(#connection), #timeline .key')) one.hidden = true;
  for (const one of data.connections) at('connection').append(make('option', {value: one.id}, called(one)));
  const present = new Set();
  for (let i = 0; i < total; i++) {
    present.add(layers[layer[i]]);
    if (flags[i] & ADVERTISING) present.add('adv');
    if (flags[i] & SECURITY) present.add('security');
  }
  for (const name of layers) if (present.has(name)) at('layer').append(make('option', {value: name}, name));
  at('packet').append(make('p', {}, at('packet').dataset.empty));
  filter.quiet = at('quiet').checked = data.connections.length > 0;
  // Open at the packet of the verdict, or else at the first error or warning, on the ladder of its connection.
  const verdict = Number(document.querySelector('.verdict a')?.hash.slice(8)), onPage = packet => number[rowOf(packet)] == packet;
  const [, id, packet] = data.marks.find(mark => mark[2] == verdict) || data.marks.find(mark => mark[0] == 'error' && onPage(mark[2])) || data.marks.find(mark => onPage(mark[2])) || [];
  const first = onPage(verdict) ? verdict : packet, place = first == null ? -1 : rowOf(first);
  if (data.connections.length && (place < 0 || connection[place] || id)) {
    filter.connection = at('connection').value = place < 0 ? '' : String(connection[place] || id);
    setView('ladder');
  } else setView('list');
  arrange();
  drawTime();
  drawCharts();
  if (!location.hash && place >= 0) choose(place, true);
  follow();
  document.addEventListener('toggle', drawCharts, true);
  let size = window.innerWidth;
  window.addEventListener('resize', () => {
    render();
    if (size != window.innerWidth) { drawTime(); drawCharts(); }
    size = window.innerWidth;
  });
  window.addEventListener('beforeprint', () => { for (const one of document.querySelectorAll('details')) one.open = true; });
  document.documentElement.dataset.ready = total;
})();
