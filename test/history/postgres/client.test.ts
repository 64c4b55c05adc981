import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { assert, expect, it } from 'vitest'
import { connect } from '../../../src/history/postgres/connect.ts'
import { readPostgresUrl } from '../../../src/history/postgres-server.ts'

/** A message of the server about a login: of SASL, what it offers (10) and how it goes on (11). */
function authentication(step: 10 | 11, text: string) {
  const body = Buffer.concat([Buffer.from([0, 0, 0, step]), Buffer.from(text)])
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from('R'), length, body])
}

it('drops its connection where the server asks for a password and none is given', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // as: it listens on a port
  const closed = once(server, 'connection').then(async ([socket]) => {
    assert(socket, 'a connection came without a socket')
    socket.on('error', () => {})
    await once(socket, 'data')
    socket.write(authentication(10, 'SCRAM-SHA-256\0\0'))
    await once(socket, 'data')
    socket.write(authentication(11, 'r=nonce,s=c2FsdA==,i=4096'))
    await once(socket, 'close')
  })
  const db = connect(readPostgresUrl(`postgres://auditor@127.0.0.1:${port}/audits`))
  await expect(db.value('SELECT 1')).rejects.toThrow('it asks for a password, and none is given')
  await closed
  await db.close()
  server.close()
})
