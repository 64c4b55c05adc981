import { Agent, request } from 'undici'

/** What the simulated service answers, as far as it is read here. */
interface Answer {
  readonly data: readonly unknown[] & {
    readonly content: readonly { readonly uid: string }[]
    readonly pagination: { readonly has_next_page: boolean; readonly next_page_cursor: string }
  }
}

/** The least that a reader of filter rows does: it lists subscriptions, and asks for the rows of each, four at once. */
const { ORDER = '' } = process.env
const [url, key, project] = JSON.parse(ORDER) as readonly string[]
const atOnce = 4
const dispatcher = new Agent({ connections: atOnce })
const headers = { authorization: `Bearer ${key}`, accept: 'application/json' }

async function ask(path: string): Promise<Answer['data']> {
  const { body } = await request(`${url}/api/v1/projects/${project}/subscriptions${path}`, { dispatcher, headers })
  return ((await body.json()) as Answer).data
}

const uids: string[] = []
for (let cursor = ''; ; ) {
  const { content, pagination } = await ask(`?perPage=1000${cursor}`)
  for (const { uid } of content) uids.push(uid)
  if (!pagination.has_next_page) break
  cursor = `&next_page_cursor=${pagination.next_page_cursor}`
}
const wanted = uids.length
let answered = 0
const askOn = async () => {
  for (let uid = uids.pop(); uid !== undefined; uid = uids.pop()) {
    const rows = await ask(`/${uid}/filters`)
    if (rows.length > 0) answered += 1
  }
}
await Promise.all(Array.from({ length: atOnce }, askOn))
if (answered < wanted) throw new Error(`${wanted - answered} subscriptions have no rows`)
await dispatcher.close()
