import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json.ts'

export interface GatewayAnswer {
  readonly status: number
  /** The member `data` of the answer. */
  readonly data: Json
  /** The text, where it is not JSON; else its message. */
  readonly message: string
}

/** Sends requests to a running gateway with one key. */
export class GatewayClient {
  readonly url: string
  readonly #key: string

  constructor(url: string, key: string) {
    this.url = url
    this.#key = key
  }

  /** `path`: below the address of the gateway. */
  async send(
    method: string,
    path: string,
    body?: Json | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<GatewayAnswer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.#key !== '' && { authorization: `Bearer ${this.#key}` }),
        'content-type': 'application/json',
        'x-convoy-version': '2025-11-24',
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = parse(text)
    return isJsonObject(json)
      ? { status: response.status, data: json.data ?? null, message: String(json.message ?? text) }
      : { status: response.status, data: null, message: text }
  }

  /** The data of an answer that must be a success. */
  async must(method: string, path: string, body?: Json): Promise<JsonObject> {
    const { status, data, message } = await this.send(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path} was answered with ${status} ${message}`)
    return isJsonObject(data) ? data : {}
  }

  /** The first page of a listing. */
  async list(path: string): Promise<readonly JsonObject[]> {
    const { content } = await this.must('GET', `${path}?perPage=100`)
    return Array.isArray(content) ? content.filter(isJsonObject) : []
  }
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A person's organisation, made where there is none yet, and a personal key to it. */
export async function openOrganisation(url: string, user: { readonly email: string; readonly password: string }) {
  const credentials = { username: user.email, password: user.password }
  const login = await new GatewayClient(url, '').must('POST', '/ui/auth/login', credentials)
  const { access_token } = isJsonObject(login.token) ? login.token : {}
  const person = new GatewayClient(url, String(access_token))
  const [first] = await person.list('/ui/organisations')
  const organisation = first ?? (await person.must('POST', '/ui/organisations', { name: 'Trials' }))
  const path = `/ui/users/${login.uid}/security/personal_api_keys`
  const key = await person.must('POST', path, { name: 'trials', expiration: 7 })
  return { organisation: String(organisation.uid), key: String(key.key) }
}
