/** Items of one page, as JSON, and how many of the allowed bytes they fill. */
interface Shape {
  readonly listing: 'endpoints' | 'subscriptions'
  /** The text of the item with this number. */
  item(number: number): string
  /** Bytes of the page, where it is not as large as is allowed. */
  readonly items?: number
}

const id = (number: number, prefix = '01M7XVZ2T4') => `${prefix}${number.toString(36).toUpperCase().padStart(16, '0')}`

/** Members that every item has; `more` follows them. */
const endpoint = (number: number, project: string, more: string) =>
  `{"uid":"${id(number)}","project_id":"${project}"${more === '' ? '' : `,${more}`}}`

const letters = 'abcdefghijklmnopqrstuvwxyz'
/** Three letters and a digit or more for each number: short, and different from all others. */
const word = (number: number) =>
  [1, 26, 676].map((place) => letters.charAt(Math.floor(number / place) % 26)).join('') + Math.floor(number / 17_576)

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(',')

/** About 1.1 kB, as the service sends it. */
function ordinary(number: number, project: string): string {
  const stamp = '2026-11-01T09:30:00.123456Z'
  return JSON.stringify({
    uid: id(number),
    project_id: project,
    name: `orders-eu-${number}`,
    description: 'Notifies the warehouse of orders that were paid',
    url: `https://hooks.customer-${number % 500}.example/in/${number}`,
    status: 'active',
    owner_id: `tenant-${number % 97}`,
    content_type: 'application/json',
    http_timeout: 10,
    rate_limit: 5000,
    rate_limit_duration: 60,
    advanced_signatures: true,
    slack_webhook_url: '',
    support_email: 'platform@example.com',
    secrets: [
      {
        uid: id(number, 'SEC'),
        value: `not-a-real-secret-${number}-of-an-endpoint`,
        expires_at: null,
        created_at: stamp,
        updated_at: stamp,
      },
    ],
    authentication: {
      type: 'api_key',
      api_key: { header_name: 'X-Api-Key', header_value: `not-a-real-key-${number}` },
    },
    failure_rate: 0.25,
    events: 17,
    created_at: stamp,
    updated_at: stamp,
    deleted_at: null,
    padding: 'x'.repeat(200),
  })
}

/** `bytes`: how large the page may be. */
export function pageShapes(project: string, bytes: number) {
  const one = (more: string): Shape => ({
    listing: 'endpoints',
    items: 1,
    item: (number) => endpoint(number, project, more),
  })
  const many = (item: (number: number) => string, listing: Shape['listing'] = 'endpoints'): Shape => ({ listing, item })
  const room = bytes - 400
  const filled = (text: string) => text.repeat(Math.floor(room / Buffer.byteLength(text)))
  return {
    'ordinary items': many((number) => ordinary(number, project)),
    'the shortest items': many((number) => endpoint(number, project, '')),
    'one url': one(`"url":"https://a.example/${filled('x')}"`),
    'one name': one(`"name":"${filled('x')}"`),
    'one description of words': one(`"description":"${filled('lorem ipsum ')}"`),
    'one text with a rocket': one(`"description":"🚀${filled('lorem ipsum ')}"`),
    'one text of escapes': one(`"description":"${filled('\\u0416')}"`),
    'one secret': one(`"secrets":[{"uid":"a","value":"${filled('x')}"}]`),
    'a megabyte of text in each item': many((number) =>
      endpoint(number, project, `"url":"https://a.example/${'x'.repeat(1_000_000)}"`),
    ),
    'eight megabytes of text in each item': many((number) =>
      endpoint(number, project, `"description":"🚀${'lorem ipsum '.repeat(690_000)}"`),
    ),
    'empty lists': many((number) => endpoint(number, project, `"free":[${times(80, () => '[]')}]`)),
    'empty objects': many((number) => endpoint(number, project, `"free":[${times(80, () => '{}')}]`)),
    'objects of one number': many((number) => endpoint(number, project, `"free":[${times(80, () => '{"a":1}')}]`)),
    'objects of all shapes': many((number) =>
      endpoint(
        number,
        project,
        `"free":[${times(40, (n) => `{"${word(number * 40 + n)}":1,"${word(number * 7 + n)}x":2}`)}]`,
      ),
    ),
    'numbers that a double cannot keep': many((number) =>
      endpoint(number, project, `"free":[${times(80, () => '1234567890123456789')}]`),
    ),
    numbers: one(`"free":[${filled('1,')}1]`),
    fractions: one(`"free":[${filled('1.5,')}1]`),
    'short words': many((number) =>
      endpoint(number, project, `"events":[],"free":[${times(500, (n) => `"${word(number * 500 + n)}"`)}]`),
    ),
    'members of all names': many((number) =>
      endpoint(number, project, `"free":{${times(500, (n) => `"${word(number * 500 + n)}":1`)}}`),
    ),
    'event types': many(
      (number) =>
        `{"uid":"${id(number)}","project_id":"${project}","filter_config":{"event_types":[${times(5_000, (n) => `"order.${word(n)}"`)}]}}`,
      'subscriptions',
    ),
    'a thousand secrets each': many((number) =>
      endpoint(
        number,
        project,
        `"secrets":[${times(1_000, (n) => `{"uid":"s${n}","value":"not-a-real-secret-${number}-${n}"}`)}]`,
      ),
    ),
    'sources of their own': many(
      (number) =>
        `{"uid":"${id(number)}","project_id":"${project}","source_metadata":{"uid":"${id(number, 'SRC')}","name":"s${number}","type":"http"}}`,
      'subscriptions',
    ),
    'a page of 5,000 items': { ...many((number) => ordinary(number, project)), items: 5_000 },
  } as const satisfies Record<string, Shape>
}

export type ShapeName = keyof ReturnType<typeof pageShapes>

/** The whole answer. */
export function pageOf({ item, items = Number.POSITIVE_INFINITY }: Shape, bytes: number): Buffer {
  const start = '{"status":true,"message":"ok","data":{"content":['
  const end = '],"pagination":{"per_page":1000,"has_next_page":false,"next_page_cursor":"","prev_page_cursor":""}}}'
  const page = Buffer.allocUnsafe(bytes)
  let at = page.write(start)
  for (let number = 0; number < items; number++) {
    const text = (number === 0 ? '' : ',') + item(number)
    if (at + Buffer.byteLength(text) + end.length > bytes) break
    at += page.write(text, at)
  }
  at += page.write(end, at)
  return page.subarray(0, at)
}
