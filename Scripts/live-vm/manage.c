// Makes two emulated controllers of one kernel talk to each other, through the management interface (BlueZ,
// doc/mgmt-api.txt).
//
//   manage setup        power both on: LE, bondable, connectable
//   manage advertise    hci1 becomes connectable
//   manage pair         hci0 pairs with hci1, neither with input or output
//   manage disconnect   hci0 disconnects

#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { family = 31, protocol = 1, no_device = 0xffff, control_channel = 3, header_bytes = 6 };

enum {
  read_information = 0x0004,
  set_powered = 0x0005,
  set_connectable = 0x0007,
  set_bondable = 0x0009,
  set_low_energy = 0x000d,
  disconnect = 0x0014,
  set_io_capability = 0x0018,
  pair_device = 0x0019,
  confirm = 0x001c,
  set_advertising = 0x0029,
  set_secure_connections = 0x002d,
};

enum { command_complete = 0x0001, command_status = 0x0002, confirmation_asked = 0x000f };
enum { no_input_no_output = 3, public_address = 1 };

static int control;

static void send_command(int index, int code, const void *parameters, size_t count) {
  uint8_t bytes[64] = {code, code >> 8, index, index >> 8, count, count >> 8};
  memcpy(bytes + header_bytes, parameters, count);
  if (write(control, bytes, header_bytes + count) < 0) perror("write");
}

// Waits for a command's answer; copies what it returns to `result`.
static int await(int index, int code, uint8_t *result, size_t room) {
  uint8_t bytes[1024];
  struct pollfd waiting = {control, POLLIN, 0};
  while (poll(&waiting, 1, 20000) > 0) {
    ssize_t count = read(control, bytes, sizeof bytes);
    if (count < header_bytes + 3) continue;
    int event = bytes[0] | bytes[1] << 8, sender = bytes[2] | bytes[3] << 8;
    uint8_t *parameters = bytes + header_bytes;
    if (event == confirmation_asked) {
      send_command(sender, confirm, parameters, 7);
    } else if ((event == command_complete || event == command_status) && sender == index &&
               (parameters[0] | parameters[1] << 8) == code) {
      size_t rest = count - header_bytes - 3;
      if (result && event == command_complete) memcpy(result, parameters + 3, rest < room ? rest : room);
      printf("hci%d command %04x: status %02x\n", index, code, parameters[2]);
      return parameters[2];
    }
  }
  printf("hci%d command %04x: no answer\n", index, code);
  return -1;
}

static int set(int index, int code, uint8_t value) {
  send_command(index, code, &value, 1);
  return await(index, code, 0, 0);
}

int main(int count, char **words) {
  setvbuf(stdout, 0, _IOLBF, 0);
  struct {
    uint16_t family, device, channel;
  } address = {family, no_device, control_channel};
  control = socket(family, SOCK_RAW, protocol);
  if (control < 0 || bind(control, (void *)&address, sizeof address)) {
    perror("management interface");
    return 1;
  }
  const char *word = count > 1 ? words[1] : "";
  uint8_t peer[8] = {0};
  send_command(1, read_information, "", 0);
  if (await(1, read_information, peer, 6)) return 1;
  peer[6] = public_address;
  if (!strcmp(word, "setup")) {
    for (int index = 0; index < 2; index++) {
      set(index, set_powered, 0);
      set(index, set_low_energy, 1);
      set(index, set_secure_connections, 1);
      set(index, set_bondable, 1);
      set(index, set_powered, 1);
      set(index, set_connectable, 1);
    }
    return 0;
  }
  if (!strcmp(word, "advertise")) return set(1, set_advertising, 2);
  if (!strcmp(word, "pair")) {
    for (int index = 0; index < 2; index++) set(index, set_io_capability, no_input_no_output);
    peer[7] = no_input_no_output;
    send_command(0, pair_device, peer, 8);
    return await(0, pair_device, 0, 0);
  }
  if (!strcmp(word, "disconnect")) {
    send_command(0, disconnect, peer, 7);
    return await(0, disconnect, 0, 0);
  }
  fprintf(stderr, "usage: manage setup|advertise|pair|disconnect\n");
  return 2;
}
