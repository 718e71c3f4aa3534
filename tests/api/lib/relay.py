"""A mail relay for tests. It accepts SMTP on a free port of 127.0.0.1 and prints each event to stdout as a JSON object in one line.
Commands on stdin set its behaviour: {"replies": ["451 later", ""]} answers RCPT of the next mails ("" accepts the mail),
{"hold": true} accepts a mail and does not answer before {"hold": false}."""
import asyncio, base64, email, email.policy, json, ssl, sys
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

options = json.loads(sys.argv[1])


def say(**what):
    print(json.dumps(what), flush=True)


def parts(message):
    for part in message.walk():
        if part.is_multipart():
            continue
        if part.get_content_disposition():
            yield {"type": part.get_content_type(), "charset": part.get_content_charset(), "disposition": part.get_content_disposition(), "name": part.get_filename(),
                   "id": part["Content-ID"], "data": base64.b64encode(part.get_payload(decode=True)).decode()}
            continue
        yield {"type": part.get_content_type(), "charset": part.get_content_charset(), "text": part.get_content()}


class Relay:
    def __init__(self):
        self.replies = []
        self.open = asyncio.Event()
        self.open.set()

    async def handle_RCPT(self, server, session, envelope, address, _):
        reply = self.replies.pop(0) if self.replies else ""
        if reply:
            say(refused=address, reply=reply)
            return reply
        envelope.rcpt_tos.append(address)
        return "250 ok"

    async def handle_DATA(self, server, session, envelope):
        raw = envelope.content
        message = email.message_from_bytes(raw, policy=email.policy.default)
        say(mail={
            "from": envelope.mail_from, "to": envelope.rcpt_tos, "hello": session.host_name, "tls": server.transport.get_extra_info("ssl_object") is not None,
            "user": session.auth_data.decode() if session.auth_data else None,
            "raw": base64.b64encode(raw).decode(), "headers": [[k, str(v)] for k, v in message.items()],
            "type": message.get_content_type(), "parts": list(parts(message)), "defects": [str(d) for d in message.defects],
        })
        await self.open.wait()
        return "250 taken"


async def commands(relay):
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        command = json.loads(line)
        relay.replies += command.get("replies", [])
        if "hold" in command:
            relay.open.clear() if command["hold"] else relay.open.set()
        say(done=command)


def authenticate(server, session, envelope, mechanism, data):
    right = isinstance(data, LoginPassword) and [data.login.decode(), data.password.decode()] == options["login"]
    return AuthResult(success=right, auth_data=data.login if right else None, handled=False)


async def main():
    relay, context, more = Relay(), None, {}
    if options.get("certificate"):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options["certificate"], options["key"])
    if options.get("security") == "STARTTLS":
        more = {"tls_context": context, "require_starttls": True}
    if options.get("login"):
        more |= {"authenticator": authenticate, "auth_required": True, "auth_require_tls": False}
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(relay, hostname="relay.test", enable_SMTPUTF8=True, data_size_limit=options.get("size", 1 << 25), **more), "127.0.0.1", options.get("port", 0),
        ssl=context if options.get("security") == "TLS" else None)
    say(port=server.sockets[0].getsockname()[1])
    await commands(relay)


asyncio.run(main())
