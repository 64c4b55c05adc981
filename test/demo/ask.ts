import type { SimulatedService } from '../../src/demo/simulated-service.ts'

interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: the service's answers are read as they come
  readonly json: any
}

/** Requests a path below /api/v1/projects/{first project}, with the personal key unless another is given. */
export async function ask(
  service: SimulatedService,
  rest: string,
  init: RequestInit & { project?: string; key?: string } = {},
): Promise<Answered> {
  const { project = service.fleet.projects()[0]?.uid, key = service.fleet.personalKey, ...more } = init
  const headers = { authorization: `Bearer ${key}`, ...more.headers }
  const response = await fetch(`${service.url}/api/v1/projects/${project}${rest}`, { ...more, headers })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
  return { status: response.status, headers: response.headers, text, json: isJson ? parse(text) : undefined }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
