"""A model's server that takes its time and little else: python -m tests.bench.slow_server <port> <seconds>.

It answers every POST with the same rating, and GET with the requests that it had in flight on average, as JSON.
"""

import asyncio
import json
import sys
import time

ANSWER = "AUTHENTICITY: 4\nReason: Yes.\nSENSITIVITY: 3\nReason: Yes.\nHARMONY: 4\nReason: Yes."
CHOICE = {"index": 0, "message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}
USAGE = {"prompt_tokens": 100, "completion_tokens": 50}
BODY = {"id": "1", "object": "chat.completion", "choices": [CHOICE], "usage": USAGE}


class Server:
    """Counts what is in flight, from the first request to the last answer."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.flying, self.sum, self.some = seconds, 0, 0.0, 0.0
        self.first = self.last = 0.0

    def _move(self, by: int) -> None:
        now = time.perf_counter()
        self.first = self.first or now
        if self.flying:
            self.sum += self.flying * (now - self.last)
            self.some += now - self.last
        self.flying, self.last = self.flying + by, now

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = (line.split(b":") for line in head.lower().split(b"\r\n"))
                length = next((int(line[1]) for line in lines if line[0] == b"content-length"), 0)
                await reader.readexactly(length)
                if head.startswith(b"POST"):
                    self._move(1)
                    await asyncio.sleep(self.seconds)
                    self._move(-1)
                    body = json.dumps(BODY).encode()
                else:
                    whole = (self.last - self.first) or 1.0
                    body = json.dumps({"flying": self.sum / whole, "some": self.some / whole}).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
                writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()


async def run(port: int, seconds: float) -> None:
    async with await asyncio.start_server(Server(seconds).serve, "127.0.0.1", port, backlog=512) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(run(int(sys.argv[1]), float(sys.argv[2])))
