/** What people write and must be able to read again: names, addresses, and identifiers of programs. */

const things =
  'order invoice payment customer refund shipment warehouse ledger catalogue subscriber ticket partner'.split(' ')
const acts = 'created updated deleted paid failed expired delivered requested_again rolled-back'.split(' ')
const regions = 'eu-central-1 us-east-1 apac berlin frankfurt staging prod sandbox emea'.split(' ')
const teams =
  'Platform Billing Logistics CustomerSuccess Zahlungsverkehr Lagerverwaltung Comptabilité Operaciones'.split(' ')
const verbs = 'create update delete find list get publish subscribe handle process transform validate'.split(' ')
const hosts = [
  'hooks.example.com',
  'api.acme-payments.example',
  'webhook-receiver.eu.example.org',
  'localhost:8080',
  'intake.partner.example:8443',
]

export interface Ordinary {
  readonly names: readonly string[]
  readonly descriptions: readonly string[]
  readonly addresses: readonly string[]
  readonly identifiers: readonly string[]
  /** Texts within a program. */
  readonly literals: readonly string[]
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
    () =>
      `https://${of(hosts)}/api/${of(things)}s/${number(1_000_000)}/${of(things)}s/${of(acts)}/v${1 + number(3)}beta1`,
    () =>
      `https://${of(hosts)}/${of(teams)}/${of(things)}Handler/on${capital(of(acts))}/${of(verbs)}${capital(of(things))}`,
    () => `https://${of(hosts)}/auth/callback/${of(things)}/session/${of(acts)}`,
    () => `https://${of(hosts)}/repos/acme/${of(things)}/hooks/${100_000 + number(900_000)}/deliveries?page=2`,
    () => `https://${of(hosts)}/api/${of(things)}s/${of(regions)}/${date()}/callback#section-${number(10)}`,
  ]
  const capital = (word: string) => word.replace(/^./, (first) => first.toUpperCase())
  const descriptions = [
    () => `Orders of ${of(teams)}; ask ${of(teams)} before changes (${of(regions)})`,
    () => `The signing secret of this endpoint rotates every ${1 + number(90)} days: see the runbook`,
    () => `Password policy: see https://wiki.example/${of(things)}/policy`,
    () => `API key of the ${of(things)} service, kept in the vault under kv/prod/${of(things)}`,
    () => `user/admin roles: ${of(things)}/${of(acts)}; access: read/write`,
    () => `curl -H 'content-type: application/json' https://${of(hosts)}/webhooks/${of(things)}`,
    () => `docker run -p 8080:80 -v /var/lib/${of(things)}:/data ${of(things)}-worker:1.${number(30)}.${number(9)}`,
    () => `token-service:8443 -> ${of(things)}-service:${1024 + number(60_000)}`,
    () => `All tests pass: ${number(2000)} of ${2000 + number(100)}`,
    () => `Das Team ${of(teams)} ist zuständig; Zugang über das Portal, Schlüssel: ${of(things)}`,
    () => `Clé de tri : ${of(things)}, puis ${of(acts)} – voir ${of(teams)}`,
    () => `El equipo ${of(teams)} es responsable de ${of(things)}: ${of(acts)}`,
    () => `La chiave primaria è ${of(things)}; senza ${of(acts)}`,
    () => `A chave de ordenação é ${of(things)} | ${of(acts)} | ${of(regions)}`,
    () => `{"event":"${of(things)}.${of(acts)}","tenant":${number(500)},"regions":["${of(regions)}"]}`,
    () => `| name | type | required |\n| ${of(things)} | text | yes |`,
    () => `<event type="${of(things)}.${of(acts)}"><tenant>${number(500)}</tenant></event>`,
    () => `EUR USD GBP CHF JPY SEK for ${of(things)}, web1 web2 web3 web4 in ${of(regions)}`,
    () => `Mo-Fr 08:00-18:00, since ${date()}, 2001:0db8:85a3:0000:0000:8a2e:0370:7334`,
  ]
  const literals = [
    () => `${of(verbs)}${capital(of(things))}${capital(of(things))}${capital(of(things))}By${capital(of(things))}Id`,
    () => `create${capital(of(things))}Secondary${capital(of(things))}By${capital(of(things))}Id`,
    () => `${of(things)}.${of(acts)}.v${1 + number(9)}`,
    () => `${of(things)}.${of(things)}.trial_will_end`,
    () => `missing ${of(things)} in the payload of ${of(acts)}`,
    () => `X-${capital(of(things))}-${capital(of(things))}-Signature`,
    () => `application/vnd.${of(things)}.v3+json`,
    () => `https://${of(hosts)}/v${1 + number(4)}/${of(things)}s`,
    () => `${of(regions)}`,
    () => `${date()}T10:15:30Z`,
  ]
  const thousand = (forms: readonly (() => string)[]) =>
    Array.from({ length: 1000 }, (_, at) => forms[at % forms.length]?.() ?? '')
  return {
    names: thousand(names),
    descriptions: thousand(descriptions),
    addresses: thousand(addresses),
    literals: thousand(literals),
    identifiers: thousand([() => of(words)]),
  }
}

function uuid(random: () => number): string {
  const digits = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join('')
  return `${digits(8)}-${digits(4)}-4${digits(3)}-a${digits(3)}-${digits(12)}`
}
