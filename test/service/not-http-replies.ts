import type { Socket } from 'node:net'

/** Writes an invalid answer to a connection, after a request came. */
export type Reply = (socket: Socket) => void

const bytes =
  (...parts: (string | Uint8Array)[]): Reply =>
  (socket) =>
    socket.end(Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1'))))

const body = '{}'
const head = (...lines: string[]) => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n')
const type = 'content-type: application/json'
const length = `content-length: ${body.length}`

/** A wrong port, a wrong scheme, a broken proxy: the answer is not clean HTTP/1.1. */
export const notHttp: Readonly<Record<string, Reply>> = {
  'an SSH banner': bytes('SSH-2.0-OpenSSH_9.6\r\n'),
  'an FTP banner': bytes('220 (vsFTPd 3.0.5)\r\n'),
  'an IMAP banner': bytes('* OK [CAPABILITY IMAP4rev1] ready\r\n'),
  'an SMTP banner': bytes('220 mail.example.com ESMTP\r\n'),
  'an alert of TLS': bytes(Buffer.from('15030100020246', 'hex')),
  'frames of HTTP/2': bytes(Buffer.from('000006040000000000000500004000', 'hex')),
  'the preface of HTTP/2': bytes('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  'a control character in a header': bytes(head(type, length, 'x-odd: a\x01b'), body),
  'a blank before the colon': bytes(head('content-type : application/json', length), body),
  'lines that end in LF': bytes(head(type, length).replaceAll('\r\n', '\n'), body),
  'a folded header': bytes(head('content-type: application/json;\r\n charset=utf-8', length), body),
  'a chunk size that is not a number': bytes(head(type, 'transfer-encoding: chunked'), 'zz\r\n{}\r\n0\r\n\r\n'),
  'a status that is not a number': bytes('HTTP/1.1 abc OK\r\n\r\n'),
  'a version that is none': bytes('HTTP/9.9 200 OK\r\n\r\n'),
  'a length that is not a number': bytes(head(type, 'content-length: many'), body),
  'two lengths': bytes(head(type, length, 'content-length: 20'), body),
  'a length and chunks': bytes(head(type, length, 'transfer-encoding: chunked'), '2\r\n{}\r\n0\r\n\r\n'),
  garbage: bytes(Uint8Array.from({ length: 4_096 }, (_, index) => (index * 151 + 89) % 256)),
  'null bytes': bytes(new Uint8Array(4_096)),
  nothing: bytes(),
  'a body without a head': bytes('<!DOCTYPE html><title>502</title>'),
  'a head that never ends': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const write = () => {
      while (!socket.destroyed && socket.write(`x-more: ${'m'.repeat(1_000)}\r\n`));
    }
    socket.on('drain', write)
    write()
  },
  'a flood of 1xx': bytes('HTTP/1.1 102 Processing\r\n\r\n'.repeat(20_000)),
  'another protocol': bytes('HTTP/1.1 101 Switching Protocols\r\nupgrade: ssh\r\nconnection: upgrade\r\n\r\nSSH-2.0'),
}
