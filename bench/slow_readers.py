"""Clients that join a channel and read nothing: bench/live.mjs runs it. Node can't make the buffers of a socket small.
Usage: slow_readers.py PORT FINGERPRINT TOPIC,TOPIC... NUMBER. Prints a line when all have joined. Each comes back after eight
seconds, because the server drops it after five."""
import base64
import json
import os
import socket
import struct
import sys
import time

port, fingerprint, topics, number = int(sys.argv[1]), sys.argv[2], sys.argv[3].split(","), int(sys.argv[4])


def frame(*message):
    data = json.dumps(message).encode()
    return struct.pack("!BBH", 0x81, 0x80 | 126, len(data)) + bytes(4) + data


def begin(topic):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    s.connect(("127.0.0.1", port))
    s.sendall((
        f"GET /socket/websocket?vsn=2.0.0&fingerprint_id={fingerprint} HTTP/1.1\r\nHost: d\r\nUser-Agent: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n").encode())
    while not s.recv(65536).startswith(b"HTTP/1.1 101"):
        pass
    s.sendall(frame("1", "1", topic, "phx_join", {}))
    return s


readers = []
for n in range(number):
    readers.append((time.monotonic(), begin(topics[n % len(topics)]), topics[n % len(topics)]))
print("joined", flush=True)
while True:
    begun, s, topic = readers.pop(0)
    time.sleep(max(0, begun + 8 - time.monotonic()))
    s.close()
    readers.append((time.monotonic(), begin(topic), topic))
