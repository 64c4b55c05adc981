import { request as forward } from 'node:http'
import { listen } from './fake-service.ts'
import type { Reply } from './not-http-replies.ts'

/** The address of a gate before a service, for one test: some answers of it are not HTTP, and all else is passed on. */
export async function openGate(service: string, replyTo: (path: string) => Reply | undefined): Promise<string> {
  const { port } = new URL(service)
  const { url } = await listen((request, response) => {
    const { url: path = '', method, headers, socket } = request
    const reply = replyTo(path)
    if (reply !== undefined) {
      socket.on('error', () => {})
      reply(socket)
      return
    }
    const onward = forward({ port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  })
  return url
}
