/** Makes the address of a page within the pages; of several values a parameter each, without those that are undefined. */
export type SiteLink = (path: string, query?: SiteLinkQuery) => string
export type SiteLinkQuery = Readonly<Record<string, string | number | readonly string[] | undefined>>

/** Links that stay at a run; undefined: at the last one. */
export function linksAt(run: number | undefined): SiteLink {
  return (path, query = {}) => {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...query, ...(run === undefined ? {} : { run }) })) {
      if (value === undefined) continue
      const values = typeof value === 'object' ? value : [String(value)]
      for (const one of values) if (one !== '') search.append(name, one)
    }
    return search.size === 0 ? path : `${path}?${search}`
  }
}

/** The address of a thing that is named by foreign text: each part is one segment of the path. */
export function pathOf(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join('/')}`
}

export const paths = {
  violation: (fingerprint: string) => pathOf('violations', fingerprint),
  resource: (uid: string) => pathOf('resources', uid),
  /** `service/project` */
  project: (name: string) => `/projects/${name.split('/').map(encodeURIComponent).join('/')}`,
  run: (number: number) => pathOf('runs', String(number)),
  /** `endpoint/url-insecure` */
  rule: (id: string) => `/rules/${id.split('/').map(encodeURIComponent).join('/')}`,
  owner: (name: string) => pathOf('owners', name),
  framework: (name: string) => pathOf('compliance', name),
} as const
