// What Foundry VTT gives to its modules, as far as ours uses it. For the type checker alone.

declare const CONFIG: { Dice: { terms: Record<string, new (data: object) => { denomination: string, faces: number }>, fulfillment: { dice: Record<string, { label: string, icon: string }>, methods: Record<string, { label: string, icon?: string, interactive?: boolean }> } } };
declare const ChatMessage: { create(data: { content: string, speaker: { alias: string } }): Promise<unknown> };
declare const Hooks: { once(name: string, run: (...values: any[]) => unknown): void, on(name: string, run: (...values: any[]) => unknown): void };
declare const ui: { notifications: Record<"info" | "warn" | "error", (text: string) => void> };
declare const game: {
  i18n: { localize(key: string): string, format(key: string, values: Record<string, string | number>): string },
  modules: Map<string, { flags?: Record<string, Record<string, string>> }>,
  settings: { get(module: string, key: string): any, register(module: string, key: string, setting: object): void },
  socket: { on(name: string, run: (message: any) => void): void, emit(name: string, message: object): void },
  system: { id: string },
  user: { id: string },
  users: { activeGM: { id: string } | null },
};
