import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const mostConnections = 200

/** Keeps a server reachable: one connection too many ends the oldest idle one, or the oldest of all. */
export function boundConnections(server: Server, most = mostConnections): void {
  /** In order of arrival, with the number of answers that each waits for. */
  const open = new Map<Socket, number>()
  server.on('connection', (socket: Socket) => {
    if (open.size >= most) oldest(open)?.destroy()
    open.set(socket, 0)
    socket.once('close', () => open.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    const count = (change: number) => {
      const waiting = open.get(socket)
      if (waiting !== undefined) open.set(socket, waiting + change)
    }
    count(1)
    response.once('close', () => count(-1))
  })
}

function oldest(open: ReadonlyMap<Socket, number>): Socket | undefined {
  const alive = [...open].filter(([socket]) => !socket.destroyed)
  const [socket] = alive.find(([, waiting]) => waiting === 0) ?? alive[0] ?? []
  return socket
}
