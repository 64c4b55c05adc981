import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../src/gateway/service/parse-json.ts'
import { joinPage, splitPage } from '../../src/gateway/service/split-page.ts'
import { collectBody } from '../../src/gateway/service/transport.ts'
import {
  type Answer,
  aClient,
  anAccess,
  answer,
  aService,
  faultIn,
  item,
  page,
  pageBody,
  project,
  walk,
} from './fake-service.ts'

/** Beyond this, a page is read in parts. */
const wholeBytes = 2 * 1024 * 1024
const pad = 'x'.repeat(1_000)

const someItems = (count: number) => Array.from({ length: count }, (_, n) => item(`e${n}`, { n, pad }))

async function walkOf(...answers: Answer[]) {
  const service = await aService(...answers)
  return { ...(await walk(aClient(service.url, { limits: { retries: 1 } }))), requests: service.requests.length }
}

/** A page whose `data.content` has this text between its brackets, padded until it is large. */
const pageWith = (content: string) => JSON.stringify(pageBody([])).replace('"content":[]', `"content":[${content}]`)
const large = `${JSON.stringify(item('large', { pad: 'x'.repeat(wholeBytes) }))}`

describe('a large page', () => {
  it('is yielded in parts, in its order, under one number', async () => {
    const { pages, fault, requests } = await walkOf(page(someItems(5_000), 'next'), page([item('last')]))
    expect({ fault, requests }).toEqual({ fault: null, requests: 2 })
    const first = pages.filter(({ number }) => number === 1)
    expect(first.length).toBeGreaterThan(10)
    expect(first.flatMap(({ items }) => items)).toEqual(someItems(5_000))
    expect(first.map(({ from }) => from)).toEqual(first.map((_, index) => index * 100))
    expect(pages.at(-1)).toEqual({ number: 2, items: [item('last')], requestId: 'req-7' })
  })

  it.each([
    [
      'the last item is another project’s',
      { project_id: 'project-2' },
      /^foreign: page 1: item 3000 belongs to another/,
    ],
    [
      'the last item was listed before',
      { uid: 'e0' },
      /^malformed: page 1: item 3000 was listed before in the same walk/,
    ],
    ['the last item has no uid', { uid: '' }, /^malformed: page 1: item 3000 has no usable uid/],
  ])('proves nothing and yields nothing when %s', async (_title, more, fault) => {
    const walked = await walkOf(page([...someItems(2_999), item('last', { pad, ...more })]))
    expect(walked.pages).toEqual([])
    expect(walked.fault).toMatch(fault)
  })

  it('is foreign when one item is, even after another fault', async () => {
    const items = [item(''), ...someItems(3_000), item('b', { project_id: 'project-2' })]
    expect((await walkOf(page(items))).fault).toMatch(/^foreign: page 1: item 3002 belongs to another project/)
  })

  it.each([
    ['an item that is not an object', `${large},7`, /data\.content contains something that is not an object/],
    ['a comma at its end', `${large},`, /item 2: malformed JSON/],
    ['two commas', `${large},,${large}`, /item 2: malformed JSON/],
    ['a key twice in an item', `${large},{"uid":"a","uid":"b"}`, /item 2: JSON with a key twice in one object/],
    [
      'an item that nests too deep',
      `${large},${'['.repeat(65)}${']'.repeat(65)}`,
      /item 2: JSON nested deeper than 64/,
    ],
    ['brackets that do not match', `${large},{"a":[}]`, /item 2: malformed JSON/],
  ])('is refused with %s', async (_title, content, reason) => {
    const { pages, fault } = await walkOf(answer(200, pageWith(content)))
    expect(pages).toEqual([])
    expect(fault).toMatch(/^malformed: page 1: /)
    expect(fault).toMatch(reason)
  })

  it.each([
    ['besides its items', JSON.stringify({ ...pageBody([item('a')]), more: 'x'.repeat(wholeBytes) })],
    ['in another list', JSON.stringify({ data: { contents: 'x'.repeat(wholeBytes) } })],
    ['in a list that is not a page', JSON.stringify({ other: { content: [{ a: 'x'.repeat(wholeBytes) }] } })],
    ['under a name with an escape', pageWith(large).replace('"content"', '"c\\u006fntent"')],
  ])('is refused where it is large %s', async (_title, body) => {
    expect((await walkOf(answer(200, body))).fault).toBe(
      'malformed: page 1: 200 ok with more than 2097152 bytes besides its items (request id req-7)',
    )
  })

  it('with its list twice is refused', async () => {
    const twice = pageWith(large).replace('"pagination"', '"content":[],"pagination"')
    expect((await walkOf(answer(200, twice))).fault).toMatch(/JSON with a key twice in one object/)
  })

  it('that breaks off is requested again, and refused the second time', async () => {
    const cut = answer(200, pageWith(large).slice(0, wholeBytes + 100))
    expect(await walkOf(cut, page([item('a')]))).toMatchObject({ fault: null, requests: 2 })
    expect((await walkOf(cut)).fault).toMatch(/^malformed: page 1: 200 ok, the JSON breaks off after 2 tries/)
  })

  it('may have no items where another page comes only if it has none', async () => {
    const body = JSON.stringify({ ...pageBody([], 'next'), more: 1 })
    expect((await walkOf(answer(200, body))).fault).toMatch(/has_next_page is true on an empty page/)
  })
})

describe('limits', () => {
  it('of items apply to whole pages and parts alike', async () => {
    const many = Array.from({ length: 20_001 }, (_, n) => ({ uid: `e${n}`, project_id: project }))
    expect((await walkOf(page(many))).fault).toMatch(
      /^malformed: page 1: has more than 20000 items: ask for smaller pages/,
    )
    expect((await walkOf(page(many.slice(1)))).fault).toBe(null)
    const larger = many.map((one) => ({ ...one, pad: 'x'.repeat(80) }))
    expect((await walkOf(page(larger))).fault).toMatch(/^malformed: page 1: 200 ok with more than 20000 items: ask for/)
    const service = await aService(page(larger))
    expect((await walk(aClient(service.url, { settings: { pageSize: 30_000 } }))).fault).toBe(null)
  })

  it('of one item are named', async () => {
    const pages = page([item('a'), item('b', { name: 'x'.repeat(8 * 1024 * 1024) })])
    expect((await walkOf(pages)).fault).toMatch(/^malformed: page 1: item 2 is larger than 8388608 bytes/)
  })

  it.each([
    ['objects and lists', `[${'{},'.repeat(75_000)}{}]`, 'JSON with more than 75000 objects and arrays'],
    ['numbers', `[${'1,'.repeat(250_001)}1]`, 'JSON with more than 250000 members and elements'],
    ['a long name', `{"${'n'.repeat(1_001)}":1}`, 'JSON with a name of more than 1000 bytes'],
  ])('of the members of an item are named: %s', async (_title, free, reason) => {
    for (const filler of ['', 'x'.repeat(wholeBytes)]) {
      const body = pageWith(JSON.stringify(item('a', { filler, free: 'FREE' })).replace('"FREE"', free))
      expect((await walkOf(answer(200, body))).fault).toContain(reason)
    }
  })

  it('of answers other than pages are named', async () => {
    const data = { uid: project, name: 'x'.repeat(wholeBytes) }
    const service = await aService(answer(200, { status: true, message: 'ok', data }))
    expect(await faultIn(aClient(service.url).project(anAccess()))).toMatch(
      /^malformed: project: an answer larger than 2097152 bytes/,
    )
  })
})

describe('the pieces of a page', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', '"content":[', '"data":{'),
  )
  const any = fc.jsonValue({ depthSize: 'small' })
  const blank = fc.stringMatching(/^[ \n\r\t]{0,3}$/)
  const aPage = fc.record({ before: fc.dictionary(text, any), items: fc.array(fc.oneof(any, text)), after: any, blank })

  const textOf = (piece: Buffer) => {
    const read = parseJson(piece)
    return read.ok ? JSON.stringify(read.value) : read.reason
  }

  it('are the content of the page, with any text in it and around it', () => {
    fc.assert(
      fc.property(aPage, ({ before, items, after, blank }) => {
        const { data: _, ...others } = before
        const envelope = { ...others, data: { first: after, content: items, after }, last: after }
        const page = JSON.stringify(envelope).replace('"content":[', `"content"${blank}:${blank}[${blank}`)
        // A text of the page that is written like the list is checked by the caller.
        fc.pre(JSON.stringify(envelope).indexOf('"content":[') === JSON.stringify(envelope).lastIndexOf('"content":['))
        const split = splitPage(Buffer.from(page), 1_000)
        if (split === undefined || typeof split === 'string') throw new Error(`${split}`)
        expect(split.items.map(textOf)).toEqual(items.map((one) => JSON.stringify(one)))
        expect(textOf(joinPage(split, split.items)).replaceAll(blank, '')).toBe(page.replaceAll(blank, ''))
        expect(textOf(joinPage(split, []))).toBe(
          JSON.stringify({ ...envelope, data: { ...envelope.data, content: [] } }),
        )
      }),
    )
  })
})

describe('a body', () => {
  function* chunks(...sizes: number[]) {
    for (const [index, size] of sizes.entries()) yield Buffer.alloc(size, 65 + (index % 26))
  }
  const mib = 1024 * 1024

  it.each([
    [[10], undefined],
    [[10], 10],
    [[10, 0, 7], 17],
    [[10, 7], 3],
    [[10, 7], 30],
    [[10, 7], Number.NaN],
    [[10, 7], -1],
    [[3 * mib, 1, mib - 1, 5], undefined],
    [[mib, mib], 2 * mib],
    [Array.from({ length: 3_000 }, () => 1), undefined],
  ])('is what came, in chunks of any size %#', (sizes, announced) => {
    const sent = [...chunks(...sizes)]
    const body = collectBody(8 * mib, announced)
    for (const chunk of sent) expect(body.add(chunk)).toBe(true)
    expect(body.whole().equals(Buffer.concat(sent))).toBe(true)
  })

  it('that is larger than allowed is given up', () => {
    const added = (announced: number | undefined, ...sizes: number[]) => {
      const body = collectBody(10, announced)
      return [...chunks(...sizes)].map((chunk) => body.add(chunk))
    }
    expect(added(11, 6, 5)).toEqual([true, false])
    expect(added(undefined, 6, 4)).toEqual([true, true])
  })
})
