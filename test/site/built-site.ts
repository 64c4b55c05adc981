import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { startProgram } from '../cli/start-process.ts'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.yaml': 'application/yaml',
}

/** Builds the site of a checkout into a folder, as `npm run site` does. Returns what the generator printed. */
export async function buildSite(checkout: string, outDir: string, options: readonly string[] = []): Promise<string> {
  const generator = join(checkout, 'node_modules/vitepress/bin/vitepress.js')
  const args = [generator, 'build', 'site', '--outDir', outDir, ...options]
  const { code, stdout, stderr } = await startProgram(process.execPath, args, { cwd: checkout, lifetimeMs: 600_000 })
    .ended
  if (code !== 0) throw new Error(`the site was not built:\n${stdout}${stderr}`)
  return stdout + stderr
}

export interface FolderServer {
  readonly url: string
  close(): void
}

/** Serves the files of a folder as any web server does: the index of a folder, and a page for what is not there. */
export async function serveFolder(folder: string, base = '/'): Promise<FolderServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    const path = decodeURI(pathname.startsWith(base) ? pathname.slice(base.length) : '404.html')
    const file = path === '' || path.endsWith('/') ? `${path}index.html` : path
    const read = (name: string) => readFileSync(join(folder, name))
    try {
      const body = read(file)
      response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' }).end(body)
    } catch {
      response.writeHead(404, { 'content-type': types['.html'] }).end(read('404.html'))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP address, as it listens on a port.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}
