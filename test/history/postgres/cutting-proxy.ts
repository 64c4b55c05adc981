import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PostgresServer } from '../../../src/history/postgres-server.ts'

/**
 * Where a connection breaks: the server never gets the COMMIT; it executes it, and its answer is lost; or the connection
 * breaks once the COMMIT is on its way; or the server never gets it, and hears nothing more: the machine is gone.
 */
export type Cut = 'before' | 'after' | 'meanwhile' | 'silent'

export interface CuttingProxy {
  /** The server, through the proxy. */
  readonly server: PostgresServer
  /** Cuts the connection that sends the next COMMIT, after others that pass. */
  arm(cut: Cut, after?: number): void
  /**
   * From now on, nothing passes through the connections there are, and they stay open; nor through new ones, unless only
   * those there are go silent.
   */
  silence(only?: 'those there are'): void
  /** From now on, connections lead to the server with a socket in this directory. */
  leadTo(directory: string): void
  /** How many COMMITs were sent. */
  readonly commits: number
  /** How many connections were cut. */
  readonly cuts: number
  close(): Promise<void>
}

/** As a client sends it: the end of a message. */
const commitText = Buffer.from('COMMIT\0')

/** Passes messages between a client and a server on a socket, and breaks connections. */
export async function openCuttingProxy(behind: PostgresServer): Promise<CuttingProxy> {
  const directory = mkdtempSync(join(tmpdir(), 'hookdrift-proxy-'))
  let target = addressOf(behind)
  const sockets = new Set<Socket>()
  let armed: Cut | undefined
  let passing = 0
  let commits = 0
  let cuts = 0
  let isSilent = false
  const open = new Set<{ isSilent: boolean }>()
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = createConnection(target)
    const connection = { isSilent }
    open.add(connection)
    client.on('close', () => open.delete(connection))
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    const cut = () => {
      cuts += 1
      client.destroy()
      upstream.destroy()
    }
    client.on('data', (data) => {
      if (connection.isSilent) return
      const isCommit = data.includes(commitText)
      if (isCommit) commits += 1
      const how = isCommit && passing-- <= 0 ? armed : undefined
      if (how !== undefined) armed = undefined
      if (how === 'silent') {
        cuts += 1
        return
      }
      if (how === 'before') return cut()
      // Before the answer is handed on.
      if (how === 'after') upstream.prependOnceListener('data', cut)
      upstream.write(data)
      if (how === 'meanwhile') setImmediate(cut)
    })
    upstream.on('data', (data) => connection.isSilent || client.destroyed || client.write(data))
    client.on('end', () => upstream.end())
    upstream.on('end', () => connection.isSilent || client.end())
    // Where there is no server, too.
    upstream.on('close', () => connection.isSilent || client.destroySoon())
  })
  await new Promise<void>((resolve) => listener.listen(join(directory, '.s.PGSQL.5432'), resolve))
  return {
    server: { ...behind, host: directory, port: undefined },
    arm(cut, after = 0) {
      armed = cut
      passing = after
    },
    silence(only) {
      isSilent = only === undefined
      for (const connection of open) connection.isSilent = true
    },
    leadTo(directory) {
      target = { path: `${directory}/.s.PGSQL.5432` }
    },
    get commits() {
      return commits
    },
    get cuts() {
      return cuts
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => listener.close(resolve))
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** A server's host is a name, or the directory of its socket. */
function addressOf({ host = '', port = 5432 }: PostgresServer) {
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}
