/** What people write and must be able to read again: names, addresses, and identifiers of programs. */

const things =
  'order invoice payment customer refund shipment warehouse ledger catalogue subscriber ticket partner'.split(' ')
const acts = 'created updated deleted paid failed expired delivered requested_again rolled-back'.split(' ')
const regions = 'eu-central-1 us-east-1 apac berlin frankfurt staging prod sandbox emea'.split(' ')
const teams =
  'Platform Billing Logistics CustomerSuccess Zahlungsverkehr Lagerverwaltung Comptabilité Operaciones'.split(' ')
const hosts = [
  'hooks.example.com',
  'api.acme-payments.example',
  'webhook-receiver.eu.example.org',
  'localhost:8080',
  'intake.partner.example:8443',
]

export interface Ordinary {
  readonly names: readonly string[]
  readonly addresses: readonly string[]
  readonly identifiers: readonly string[]
}

/** A thousand of each. `words`: identifiers of a program that is independent of this one. */
export function ordinaryTexts(random: () => number, words: readonly string[]): Ordinary {
  const of = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T // never empty
  const number = (most: number) => Math.floor(random() * most)
  const date = () => `2026-${String(1 + number(12)).padStart(2, '0')}-${String(1 + number(28)).padStart(2, '0')}`
  const names = [
    () => `${of(things)}-${of(regions)}-${number(1000)}`,
    () => `${of(teams)} ${of(things)} endpoint (${of(regions)})`,
    () => `${of(things)}.${of(acts)}.v${1 + number(9)}`,
    () => `${of(things)}s-${of(regions)}-${date()}`,
    () => `${of(things)}${of(things).replace(/^./, (first) => first.toUpperCase())}Handler`,
    () => `tenant-${number(500)}/${of(things)}-${of(acts)}`,
    () => `${of(teams)}: ${of(things)} ${of(acts)} since ${date()}, asks ${of(teams)} before changes`,
    () => `${uuid(random)}`,
    () => `${of(things)}_${of(acts)}_webhook_endpoint_${number(100)}`,
  ]
  const addresses = [
    () => `https://${of(hosts)}/webhooks/${of(things)}/${of(acts)}`,
    () =>
      `https://${of(hosts)}/v${1 + number(4)}/tenants/${number(10_000)}/${of(things)}s?source=hookgateway&version=2`,
    () => `http://${of(hosts)}/in/${uuid(random)}`,
    () => `https://${of(things)}-${of(regions)}.example.net/`,
    () => `https://${of(hosts)}/api/${of(things)}s/${of(regions)}/${date()}/callback#section-${number(10)}`,
  ]
  const thousand = (forms: readonly (() => string)[]) =>
    Array.from({ length: 1000 }, (_, at) => forms[at % forms.length]?.() ?? '')
  return {
    names: thousand(names),
    addresses: thousand(addresses),
    identifiers: thousand([() => of(words)]),
  }
}

function uuid(random: () => number): string {
  const digits = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join('')
  return `${digits(8)}-${digits(4)}-4${digits(3)}-a${digits(3)}-${digits(12)}`
}
