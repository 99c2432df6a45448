// What gattscope uses of libyaml (Debian: libyaml-dev): its events, one at a time.

#ifndef GATTSCOPE_CLIBYAML_SHIM_H
#define GATTSCOPE_CLIBYAML_SHIM_H

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/// A parser with its own copy of the text and the event it read last.
struct clibyaml_reader {
  yaml_parser_t parser;
  yaml_event_t event;
  unsigned char *text;
};

static inline void clibyaml_close(struct clibyaml_reader *reader) {
  yaml_event_delete(&reader->event);
  yaml_parser_delete(&reader->parser);
  free(reader->text);
  free(reader);
}

/// Opens UTF-8 text. Returns null if there is no memory.
static inline struct clibyaml_reader *clibyaml_open(const unsigned char *text, size_t count) {
  struct clibyaml_reader *reader = (struct clibyaml_reader *)calloc(1, sizeof *reader);
  if (!reader) return 0;
  reader->text = (unsigned char *)malloc(count ? count : 1);
  if (!reader->text || !yaml_parser_initialize(&reader->parser)) {
    free(reader->text);
    free(reader);
    return 0;
  }
  if (count) memcpy(reader->text, text, count);
  yaml_parser_set_encoding(&reader->parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&reader->parser, reader->text, count);
  return reader;
}

/// Reads the next event in place of the last one. Returns 0 if the text is not YAML.
static inline int clibyaml_next(struct clibyaml_reader *reader) {
  yaml_event_delete(&reader->event);
  return yaml_parser_parse(&reader->parser, &reader->event);
}

/// The bytes of the event's scalar.
static inline const unsigned char *clibyaml_scalar(const struct clibyaml_reader *reader, size_t *count) {
  *count = reader->event.data.scalar.length;
  return reader->event.data.scalar.value;
}

/// The name of the event's anchor, or of the anchor its alias refers to; null if it has neither.
static inline const unsigned char *clibyaml_anchor(const struct clibyaml_reader *reader) {
  switch (reader->event.type) {
    case YAML_ALIAS_EVENT: return reader->event.data.alias.anchor;
    case YAML_SCALAR_EVENT: return reader->event.data.scalar.anchor;
    case YAML_SEQUENCE_START_EVENT: return reader->event.data.sequence_start.anchor;
    case YAML_MAPPING_START_EVENT: return reader->event.data.mapping_start.anchor;
    default: return 0;
  }
}

/// Whether the event has a tag, such as `!!str`.
static inline int clibyaml_has_tag(const struct clibyaml_reader *reader) {
  switch (reader->event.type) {
    case YAML_SCALAR_EVENT: return reader->event.data.scalar.tag != 0;
    case YAML_SEQUENCE_START_EVENT: return reader->event.data.sequence_start.tag != 0;
    case YAML_MAPPING_START_EVENT: return reader->event.data.mapping_start.tag != 0;
    default: return 0;
  }
}

#endif
