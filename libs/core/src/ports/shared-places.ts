/** What a holder says of one key: how many places it has, and how many more it would like. */
export interface PlaceClaim {
  readonly key: string;
  /** The process that speaks. */
  readonly holder: string;
  /** Places that the holder has, whatever was said before. */
  readonly held: number;
  readonly wanted: number;
  /** All holders together get no more places than this. */
  readonly most: number;
  /** For how long this holds unless it is said again, in milliseconds. */
  readonly ttlMs: number;
}

export interface HeldPlaces {
  readonly holder: string;
  /** Keys, and how many places the holder has of each. */
  readonly places: readonly (readonly [key: string, held: number])[];
  readonly ttlMs: number;
}

/**
 * Places that the processes of one installation hand out together. Each says how many it has, and what it says replaces what it said
 * before: a call that is lost, or repeated, does not count twice. Of a holder that says nothing any more the places come back. Calls of one holder about one
 * key come one after the other; every method rejects when the server does not answer.
 */
export abstract class SharedPlaces {
  /** Resolves with how many of the wanted places the holder has now: as many as are left, by one count of all holders. */
  abstract claim(claim: PlaceClaim): Promise<number>;
  /** Says for many keys what the holder has. */
  abstract renew(held: HeldPlaces): Promise<void>;
  abstract close(): Promise<void>;
}
