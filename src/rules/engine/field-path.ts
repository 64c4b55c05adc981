/** JSON Pointers to the fields of attributes; not into lists and maps, whose members no type names. */
export type FieldPath<Attributes> = Attributes extends readonly unknown[]
  ? never
  : Attributes extends object
    ? { [Name in keyof Attributes & string]-?: FieldPathAt<Name, NonNullable<Attributes[Name]>> }[keyof Attributes &
        string]
    : never

type FieldPathAt<Name extends string, Value> = string extends Name ? never : `/${Name}` | `/${Name}${FieldPath<Value>}`

/** What the field at a pointer may hold. */
export type FieldValue<Attributes, Path extends string> = Path extends `/${infer Name}/${infer Rest}`
  ? FieldValue<Member<Attributes, Name>, `/${Rest}`>
  : Path extends `/${infer Name}`
    ? Member<Attributes, Name>
    : never

type Member<Attributes, Name extends string> = Name extends keyof Attributes ? NonNullable<Attributes[Name]> : never
